import { forEachRow } from '../../lib/for-each-row.ts';
import type { Channel } from '../model/people.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { ResumeChannel } from './resume-channel.ts';

type ResumeWorkspacesDeps = ChannelsRoomDeps & { readonly resumeChannel: ResumeChannel };

/**
 * Resumes the channels of workspaces that had blocked the bot, once they let it in again: it was reinstalled, or an admin removed the
 * obstacle. Slack sends no event for this, so the bot polls.
 */
export function makeResumeWorkspaces(deps: ResumeWorkspacesDeps): () => Promise<void> {
  return async () => {
    const channels = await deps.subscriptions.channelsPausedFor('workspace access');
    const byTeam = Map.groupBy(channels, ({ teamId }) => teamId);
    await forEachRow(
      byTeam,
      ([team, waiting]) => resumeOne(team, waiting),
      (error, [team]) =>
        deps.log.warn({ err: error, team }, 'could not check whether a workspace lets the bot in again'),
    );
  };

  async function resumeOne(team: string, waiting: readonly Channel[]): Promise<void> {
    const [workspace] = waiting;
    if (!workspace || !(await deps.isServed(workspace))) return;
    deps.log.info({ team, channels: waiting.length }, 'a workspace lets the bot in again');
    await forEachRow(
      waiting,
      (channel) => deps.resumeChannel(channel, 'perhaps'),
      (error, { channelId: channel }) =>
        deps.log.warn({ err: error, team, channel }, 'a channel could not be resumed'),
    );
  }
}
