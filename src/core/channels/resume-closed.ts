import { forEachRow } from '../../lib/for-each-row.ts';
import { endRevoked } from '../../store/tables/departures.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import type { Bot } from '../bot.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel, Workspace } from '../model/people.ts';
import { openChannel } from './channel-facts.ts';

// Slack sends no event when it lets the bot post again, so the bot polls.

/**
 * Resumes channels in which Slack refused the bot's posts. Slack describes only some restrictions, so the rest is tried: a post that is
 * refused again pauses the channel without another message to the owners.
 */
export async function resumeRestricted(bot: Bot): Promise<void> {
  await forEachRow(
    await obstacles.channelsClosedFor(bot.db, 'posting restricted'),
    async (channel) => {
      if ((await bot.slack.mayPost(channel)) === 'yes') await openChannel(bot, channel, 'perhaps');
    },
    (error, channel) =>
      bot.log.warn({ err: error, ...channelFields(channel) }, 'could not try again to post in a channel'),
  );
}

/** Resumes the channels of workspaces that had blocked the bot: it was reinstalled, or an admin removed the obstacle. */
export async function resumeWorkspaces(bot: Bot): Promise<void> {
  const channels = await obstacles.channelsClosedFor(bot.db, 'workspace access');
  await forEachRow(
    Map.groupBy(channels, ({ teamId }) => teamId),
    ([team, waiting]) => resumeWorkspace(bot, team, waiting),
    (error, [team]) =>
      bot.log.warn({ err: error, team }, 'could not check whether a workspace lets the bot in again'),
  );
}

/** An organization granted the bot access to workspaces: resumes the channels there that were paused for lack of it. */
export async function accessGranted(bot: Bot, workspaces: readonly Workspace[], at: Date): Promise<void> {
  await endRevoked(
    bot.db,
    workspaces.map(({ teamId }) => teamId),
    at,
  );
  await resumeWorkspaces(bot);
}

async function resumeWorkspace(bot: Bot, team: string, waiting: readonly Channel[]): Promise<void> {
  const [workspace] = waiting;
  if (!workspace || !(await bot.slack.isServed(workspace))) return;
  bot.log.info({ team, channels: waiting.length }, 'a workspace lets the bot in again');
  await forEachRow(
    waiting,
    (channel) => openChannel(bot, channel, 'perhaps'),
    (error, channel) =>
      bot.log.warn({ err: error, ...channelFields(channel) }, 'a channel could not be resumed'),
  );
}
