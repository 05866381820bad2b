import { pingedIsAway, type Unpingable } from '../../messages/subscribing/refusals.ts';
import * as channels from '../../store/tables/channels.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { isDirect, isOfWorkspace } from '../model/people.ts';
import type { Ping } from '../model/subscription.ts';
import type { AllowedRequest } from './allowed-request.ts';

/** Returns why messages of the channel may not mention this person or group (CONTRACT, Mentions); null if they may. */
export async function whyNotPingable(
  bot: Bot,
  context: CommandContext,
  ping: Ping | null | undefined,
): Promise<Unpingable | null> {
  if (!ping) return null;
  const isShared = await isSharedNow(bot, context);
  if (ping.kind === 'group') return isShared ? 'group' : null;
  const profile = await bot.slack.profileOf({ ...context.person, userId: ping.id }).catch(() => null);
  if (profile === null) return 'unknown';
  if (profile.standing === 'bot') return 'bot';
  return isShared && !isOfWorkspace(profile.standing) ? 'stranger' : null;
}

/** Says so if the person is not in the channel: Slack then notifies nobody. */
export async function notePinged(
  { slack }: Bot,
  { context, options }: Pick<AllowedRequest, 'context' | 'options'>,
  ping: Ping | null,
): Promise<void> {
  if (ping?.kind !== 'user' || options.quiet) return;
  const { person, channelId } = context;
  const pinged = { ...person, userId: ping.id };
  if ((await slack.isInChannel(pinged, channelId)) !== 'no') return;
  const { name } = await slack.profileOf(pinged);
  await context.reply(pingedIsAway({ userId: ping.id, name }, isDirect(channelId)));
}

async function isSharedNow({ db, slack }: Bot, context: CommandContext): Promise<boolean> {
  const channel = channelOf(context);
  if (isDirect(channel.channelId)) return false;
  return slack.isShared(channel).catch(async () => (await channels.of(db, channel)).isShared);
}
