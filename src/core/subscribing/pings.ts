import { cannotPing, pingedIsAway } from '../../messages/subscribing/refusals.ts';
import * as channels from '../../store/tables/channels.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Bot } from '../bot.ts';
import type { Ping } from '../model/mentioned.ts';
import { isDirect, isOfWorkspace } from '../model/people.ts';
import type { AllowedRequest } from './allowed-request.ts';

/** Throws a `Refusal` unless messages of the channel may mention this person or group (CONTRACT, Mentions). */
export async function requirePingable(bot: Bot, context: CommandContext, ping: Ping | null): Promise<void> {
  if (ping === null) return;
  const isShared = await isSharedNow(bot, context);
  if (ping.kind === 'group') {
    if (isShared) throw new Refusal(context, cannotPing('group'));
    return;
  }
  const profile = await bot.slack.profileOf({ ...context.person, userId: ping.id }).catch(() => null);
  if (profile === null) throw new Refusal(context, cannotPing('unknown'));
  if (profile.standing === 'bot') throw new Refusal(context, cannotPing('bot'));
  if (isShared && !isOfWorkspace(profile.standing)) throw new Refusal(context, cannotPing('stranger'));
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
