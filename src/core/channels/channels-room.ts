import type { Channel, Workspace } from '../model/people.ts';
import type { ChannelsRoomDeps } from './channels-deps.ts';
import { makeExclude } from './exclude.ts';
import { makeFollowItem } from './follow-item.ts';
import { makeLeaveToOthers } from './leave-to-others.ts';
import { makeMute } from './mute.ts';
import { makePauseSubscription } from './pause-subscription.ts';
import { makeReplyIfClosed } from './reply-if-closed.ts';
import { makeRequirePostable } from './require-postable.ts';
import { makeResumeChannel } from './resume-channel.ts';
import { makeResumeClosed } from './resume-closed.ts';
import { makeSharedChannel } from './shared-channel.ts';

export type ChannelsRoom = ReturnType<typeof makeChannelsRoom>;

/** Composes whether and how the bot posts in a channel: paused, muted, closed, shared, moved, and reopened. */
export function makeChannelsRoom(deps: ChannelsRoomDeps) {
  const leaveToOthers = makeLeaveToOthers(deps);
  const resumeChannel = makeResumeChannel({ ...deps, leaveToOthers });
  const resumeClosed = makeResumeClosed({ ...deps, resumeChannel });
  const replyIfClosed = makeReplyIfClosed(deps);
  const mute = makeMute({ ...deps, replyIfClosed });
  return {
    resumeChannel,
    ...resumeClosed,
    exclude: makeExclude({ ...deps, replyIfClosed }),
    followItem: makeFollowItem(deps),
    mute,
    replyIfClosed,
    pauseSubscription: makePauseSubscription({ ...deps, leaveToOthers }),
    requirePostable: makeRequirePostable({ ...deps, resumeChannel }),
    sharedChannel: makeSharedChannel(deps),
    bareVerbs: { unmute: mute.unmute },

    /** Moves a channel's subscriptions and pending events to its new id. A repeated event changes nothing. */
    async moveChannel(channel: Channel, newChannelId: string): Promise<void> {
      if (newChannelId === channel.channelId) return;
      await deps.channelMoves.move(channel, newChannelId);
      await deps.enqueue({ ...channel, channelId: newChannelId });
    },

    /** An organization granted the bot access to workspaces: resumes the channels there that were paused for lack of it. */
    async accessGranted(workspaces: readonly Workspace[], at: Date): Promise<void> {
      await deps.noteAccess(workspaces, at);
      await resumeClosed.resumeWorkspaces();
    },
  };
}
