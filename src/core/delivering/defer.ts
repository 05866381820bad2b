import { hourMs, later } from '../../lib/durations.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { PostOutcome } from '../channels/post.ts';
import { type LaneCard, untouchedUntil } from '../model/lane-card.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import { reopenedSubjects, retriedSubject } from '../model/summary-lead.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import type { ClaimedLane } from './delivery-tables.ts';
import { LaneLostError } from './mark-turn.ts';

type DeferDeps = Pick<DeliverDeps, 'clock' | 'tables' | 'transact' | 'pauseChannel' | 'log'>;

/** An outcome after which the same message can be tried again. */
export type UnpostedOutcome = Exclude<PostOutcome, { kind: 'posted' | 'refused' }>;

/**
 * Returns the mark with which the lane is tried again; `give up` if the same message failed so often that it is a dead letter; `closed`
 * if a person has to open the channel first, in which case the lane has been freed.
 */
export type Defer = (
  taken: ClaimedLane,
  outcome: UnpostedOutcome,
  /** The card that may have been edited, so the next attempt edits it again. */
  edited?: LaneCard,
) => Promise<Partial<TurnMark> | 'give up' | 'closed'>;

/** Backoff after failures for which Slack asks no wait: 2 s, 4 s, up to 5 min. */
const backoffMs = { first: 2_000, most: 300_000 };
/** Attempts for one message: about a day's worth, or a few if Slack's error is unknown. */
const triesMost = { known: 300, unknown: 5 };
/** How often a workspace that is being moved into an organization is tried. */
const movingMs = hourMs;
/** The most a whole throttled workspace waits because of some lanes; those lanes wait as long as Slack asks. */
const throttledSeconds = 5;

/**
 * Makes a lane wait after nothing was posted, or nobody knows whether it was: as long as the outcome asks, or until the channel or
 * workspace opens again.
 */
export function makeDefer({ clock, tables, transact, pauseChannel, log }: DeferDeps): Defer {
  return async (taken, outcome, edited) => {
    const { lane } = taken;
    log.warn({ ...channelFields(lane), outcome: outcome.kind, error: outcome.error }, 'post deferred');
    switch (outcome.kind) {
      case 'wait':
        return wait(lane, outcome);
      case 'workspace moving': {
        const until = later(clock.now(), movingMs);
        await tables.paces.stopUntil(lane, until);
        return { notBefore: until };
      }
      case 'perhaps':
      case 'thread gone':
        return backOff(taken, outcome, edited);
      case 'channel closed':
      case 'workspace closed':
        return close(taken, outcome);
    }
  };

  async function wait(
    lane: Channel,
    { seconds, error }: Extract<UnpostedOutcome, { kind: 'wait' }>,
  ): Promise<Partial<TurnMark>> {
    const at = clock.now();
    const notBefore = later(at, seconds * 1_000);
    if (error === 'message_limit_exceeded') await tables.paces.stopUntil(lane, notBefore);
    if (error === 'ratelimited')
      await tables.paces.noteLimited(lane, Math.min(seconds, throttledSeconds), at);
    return { notBefore };
  }

  function backOff(
    taken: ClaimedLane,
    outcome: UnpostedOutcome,
    edited: LaneCard | undefined,
  ): Partial<TurnMark> | 'give up' {
    const failures = taken.failures + 1;
    const isUnknown = outcome.kind === 'perhaps' && outcome.unknown === true;
    if (failures >= (isUnknown ? triesMost.unknown : triesMost.known)) return 'give up';
    const waitMs = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);
    const notBefore = later(clock.now(), waitMs);
    return {
      notBefore,
      failures,
      keepAttempt: outcome.kind === 'perhaps',
      ...(edited && { card: untouchedUntil(edited, notBefore) }),
    };
  }

  /** The channel is closed to the bot: pauses its subscriptions and notifies their owners. */
  async function close(
    { lane, fence, at }: ClaimedLane,
    outcome: Extract<UnpostedOutcome, { kind: 'channel closed' | 'workspace closed' }>,
  ): Promise<Partial<TurnMark> | 'closed'> {
    const paused = await transact(async ({ announcements, events, lanes, subscriptions }) => {
      const standing = await lanes.pauseAfterTurn(lane, fence, { reason: outcome.error, since: at });
      if (standing === 'lost') throw new LaneLostError(lane);
      if (standing === 'open') return null;
      await events.hold(lane, 'paused');
      const withdrawn = await announcements.withdraw(lane, reopenedSubjects);
      const rows = await pauseChannel.pause(subscriptions, lane, outcome);
      // After a retry the owners have already been notified.
      const isKnown = withdrawn.includes(retriedSubject);
      return isKnown ? rows.filter(({ reason }) => reason !== 'posting restricted') : rows;
    });
    // An event has reopened the channel since the turn started.
    if (paused === null) return {};
    await pauseChannel.notify(paused, outcome);
    return 'closed';
  }
}
