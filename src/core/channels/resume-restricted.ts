import { forEachRow } from '../../lib/for-each-row.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import type { ResumeChannel } from './resume-channel.ts';

type ResumeRestrictedDeps = ChannelsRoomDeps & { readonly resumeChannel: ResumeChannel };

/**
 * Resumes channels in which Slack refused the bot's posts, once it may post there again. Slack sends no event for this and describes only
 * some restrictions, so the rest is tried: a post that is refused again pauses the channel without another message to the owners.
 */
export function makeResumeRestricted(deps: ResumeRestrictedDeps): () => Promise<void> {
  return async () =>
    forEachRow(
      await deps.subscriptions.channelsPausedFor('posting restricted'),
      async (channel) => {
        if ((await deps.mayPost(channel)) === 'yes') await deps.resumeChannel(channel, 'retry');
      },
      (error, { teamId: team, channelId: channel }) =>
        deps.log.warn({ err: error, team, channel }, 'could not try again to post in a channel'),
    );
}
