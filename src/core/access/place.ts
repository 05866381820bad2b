import { personalGreeting } from '../../messages/subscribing/answers.ts';
import { refused } from '../../messages/subscribing/refusals.ts';
import * as channels from '../../store/tables/channels.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import type { Bot } from '../bot.ts';
import { type Channel, isDirect, type Workspace } from '../model/people.ts';
import { DirectMessageRefused } from '../slack.ts';
import { type CommandContext, channelOf } from './command-context.ts';
import { Refusal } from './refusal.ts';

/**
 * Returns a channel under the workspace where it is stored. Workspaces of one organization can share a channel, and Slack names the
 * workspace of the person who acts. With one installation for all of them it is one channel, with one list and one lane.
 */
export async function homeOf(bot: Bot, channel: Channel): Promise<Channel> {
  if (channel.enterpriseId === null || channel.channelId === '') return channel;
  const [home = channel] = await homesOf(bot, channel, [channel.channelId]);
  return home;
}

/** Returns channels of a workspace's people, each as `homeOf` does. */
export async function homesOf(
  { db, slack }: Bot,
  workspace: Workspace,
  channelIds: readonly string[],
): Promise<Channel[]> {
  const { enterpriseId, teamId } = workspace;
  const found = await channels.homesAmong(db, workspace, channelIds);
  const firstTeams = new Map(found.map((channel) => [channel.channelId, channel.teamId]));
  const homes = new Map<string | undefined, string>();
  for (const first of new Set(firstTeams.values())) {
    const isElsewhere = first !== teamId;
    const areApart = isElsewhere && ((await slack.isInstalled(teamId)) || (await slack.isInstalled(first)));
    homes.set(first, areApart ? teamId : first);
  }
  const homeOfOne = (channelId: string) => homes.get(firstTeams.get(channelId)) ?? teamId;
  return channelIds.map((channelId) => ({ enterpriseId, teamId: homeOfOne(channelId), channelId }));
}

/** Returns the context in which a request about a channel takes effect. */
export async function atHome(bot: Bot, context: CommandContext): Promise<CommandContext> {
  const { teamId } = await homeOf(bot, channelOf(context));
  return teamId === context.person.teamId ? context : { ...context, person: { ...context.person, teamId } };
}

/**
 * Returns the context of the conversation a request is for: where it was made, or for `to me` the person's direct message with the bot. The bot
 * learns which one is its own by writing to the person, so it introduces itself there first. Throws a `Refusal` if Slack does not let it.
 */
export async function placeOf(
  bot: Bot,
  context: CommandContext,
  { isPersonal, isAboutChannel }: { readonly isPersonal: boolean; readonly isAboutChannel: boolean },
): Promise<CommandContext> {
  if (!isPersonal && !(isDirect(context.channelId) && isAboutChannel)) return context;
  const direct = (await directMessages.of(bot.db, context.person)) ?? (await introduce(bot, context));
  return isPersonal && direct !== null ? context.about(direct) : context;
}

async function introduce({ db, slack }: Bot, context: CommandContext): Promise<string | null> {
  const { person } = context;
  await slack.directMessage(person, personalGreeting).catch((error: unknown) => {
    throw error instanceof DirectMessageRefused ? new Refusal(context, refused('no direct message')) : error;
  });
  return directMessages.of(db, person);
}
