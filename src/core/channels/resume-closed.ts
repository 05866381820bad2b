import { forEachRow } from '../../lib/for-each-row.ts';
import type { Channel } from '../model/people.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { ResumeChannel } from './resume-channel.ts';

type ResumeClosedDeps = ChannelsRoomDeps & { readonly resumeChannel: ResumeChannel };

/** Resumes channels once the bot may post there again. Slack sends no event for this, so the bot polls. */
export function makeResumeClosed(deps: ResumeClosedDeps) {
  async function resumeWorkspace(team: string, waiting: readonly Channel[]): Promise<void> {
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

  return {
    /**
     * Resumes channels in which Slack refused the bot's posts. Slack describes only some restrictions, so the rest is tried: a post that is
     * refused again pauses the channel without another message to the owners.
     */
    resumeRestricted: async (): Promise<void> =>
      forEachRow(
        await deps.subscriptions.channelsPausedFor('posting restricted'),
        async (channel) => {
          if ((await deps.mayPost(channel)) === 'yes') await deps.resumeChannel(channel, 'retry');
        },
        (error, { teamId: team, channelId: channel }) =>
          deps.log.warn({ err: error, team, channel }, 'could not try again to post in a channel'),
      ),

    /** Resumes the channels of workspaces that had blocked the bot: it was reinstalled, or an admin removed the obstacle. */
    async resumeWorkspaces(): Promise<void> {
      const channels = await deps.subscriptions.channelsPausedFor('workspace access');
      await forEachRow(
        Map.groupBy(channels, ({ teamId }) => teamId),
        ([team, waiting]) => resumeWorkspace(team, waiting),
        (error, [team]) =>
          deps.log.warn({ err: error, team }, 'could not check whether a workspace lets the bot in again'),
      );
    },
  };
}
