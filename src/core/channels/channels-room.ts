import { makePlaceOf, type PersonalDeps } from '../access/personal.ts';
import type { Workspace } from '../model/people.ts';
import { type CloseChannelDeps, makeCloseChannel } from './close-channel.ts';
import { type ExcludeDeps, makeExclude } from './exclude.ts';
import { type FollowItemDeps, makeFollowItem } from './follow-item.ts';
import { type LeaveToOthersDeps, makeLeaveToOthers } from './leave-to-others.ts';
import { type MoveChannelDeps, makeMoveChannel } from './move-channel.ts';
import { type MuteDeps, makeMute } from './mute.ts';
import { makePauseChannel, type PauseChannelDeps } from './pause-channel.ts';
import { makePauseSubscription, type PauseSubscriptionDeps } from './pause-subscription.ts';
import { makeReplyIfClosed, type ReplyIfClosedDeps } from './reply-if-closed.ts';
import { makeRequirePostable, type RequirePostableDeps } from './require-postable.ts';
import { makeResumeChannel, type ResumeChannelDeps } from './resume-channel.ts';
import { makeResumeRestricted, type ResumeRestrictedDeps } from './resume-restricted.ts';
import { makeResumeWorkspaces, type ResumeWorkspacesDeps } from './resume-workspaces.ts';
import { makeSharedChannel, type SharedChannelDeps } from './shared-channel.ts';
import { makeUndoOffers, type UndoOffersDeps } from './undo-offers.ts';

type ChannelsRoomDeps = Omit<CloseChannelDeps, 'pauseChannel'> &
  ExcludeDeps &
  Omit<FollowItemDeps, 'placeOf'> & {
    readonly directMessages: PersonalDeps['directMessages'];
  } & LeaveToOthersDeps &
  MoveChannelDeps &
  Omit<MuteDeps, 'replyIfClosed'> &
  PauseChannelDeps &
  Omit<PauseSubscriptionDeps, 'leaveToOthers'> &
  ReplyIfClosedDeps &
  Omit<RequirePostableDeps, 'resumeChannel'> &
  Omit<ResumeChannelDeps, 'leaveToOthers'> &
  Omit<ResumeRestrictedDeps, 'resumeChannel'> &
  Omit<ResumeWorkspacesDeps, 'resumeChannel'> &
  SharedChannelDeps &
  UndoOffersDeps & {
    /** Records that an organization has given the bot access to workspaces again. */
    readonly noteAccess: (workspaces: readonly Workspace[], at: Date) => Promise<void>;
  };

export type ChannelsRoom = ReturnType<typeof makeChannelsRoom>;

/** Composes whether and how the bot posts in a channel: paused, muted, closed, shared, moved, and reopened. */
export function makeChannelsRoom(deps: ChannelsRoomDeps) {
  const pauseChannel = makePauseChannel(deps);
  const leaveToOthers = makeLeaveToOthers(deps);
  const resumeChannel = makeResumeChannel({ ...deps, leaveToOthers });
  const resumeWorkspaces = makeResumeWorkspaces({ ...deps, resumeChannel });
  const replyIfClosed = makeReplyIfClosed(deps);
  const mute = makeMute({ ...deps, replyIfClosed });
  return {
    pauseChannel,
    resumeChannel,
    resumeRestricted: makeResumeRestricted({ ...deps, resumeChannel }),
    resumeWorkspaces,
    closeChannel: makeCloseChannel({ ...deps, pauseChannel }),
    exclude: makeExclude(deps),
    followItem: makeFollowItem({ ...deps, placeOf: makePlaceOf(deps) }),
    moveChannel: makeMoveChannel(deps),
    mute,
    replyIfClosed,
    pauseSubscription: makePauseSubscription({ ...deps, leaveToOthers }),
    requirePostable: makeRequirePostable({ ...deps, resumeChannel }),
    sharedChannel: makeSharedChannel(deps),
    undoOffers: makeUndoOffers(deps),
    bareVerbs: { unmute: mute.unmute },

    /** An organization granted the bot access to workspaces: resumes the channels there that were paused for lack of it. */
    async accessGranted(workspaces: readonly Workspace[], at: Date): Promise<void> {
      await deps.noteAccess(workspaces, at);
      await resumeWorkspaces();
    },
  };
}
