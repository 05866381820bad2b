import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';
import { type CommandContext, channelOf } from './command-context.ts';

/**
 * Returns a channel under the workspace where it is stored. Workspaces of one organization can share a channel, and Slack names the
 * workspace of the person who acts. With one installation for all of them it is one channel, with one list and one lane.
 */
export async function homeOf({ db, slack }: Bot, channel: Channel): Promise<Channel> {
  const { enterpriseId, teamId, channelId } = channel;
  if (enterpriseId === null || channelId === '') return channel;
  const first = await subscriptions.firstTeamOf(db, enterpriseId, channelId);
  if (first === null || first === teamId) return channel;
  const areApart = (await slack.isInstalled(teamId)) || (await slack.isInstalled(first));
  return areApart ? channel : { ...channel, teamId: first };
}

/** Returns the context in which a request about a channel takes effect. */
export async function atHome(bot: Bot, context: CommandContext): Promise<CommandContext> {
  const { teamId } = await homeOf(bot, channelOf(context));
  return teamId === context.person.teamId ? context : { ...context, person: { ...context.person, teamId } };
}
