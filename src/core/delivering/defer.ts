import type { Log } from '../../lib/log.ts';
import type { ClaimedLane } from '../../store/tables/lanes.ts';
import { type PauseChannel, resumedSubject } from '../channels/pause-channel.ts';
import type { PostOutcome } from '../channels/post.ts';
import type { Clock } from '../model/clock.ts';
import { type LaneCard, untouchedUntil } from '../model/lane-card.ts';
import type { Channel } from '../model/people.ts';
import type { DeliveryTables, TransactDelivery } from './delivery-tables.ts';

export type DeferDeps = {
  readonly clock: Clock;
  readonly tables: DeliveryTables;
  readonly transact: TransactDelivery;
  readonly pauseChannel: PauseChannel;
  readonly log: Pick<Log, 'warn'>;
};

/** An outcome after which the same message may be tried again. */
export type Untold = Exclude<PostOutcome, { kind: 'posted' | 'refused' }>;

/**
 * When the lane is to be looked at again, null where somebody has to mend something first; `give up` where the same message failed so
 * often that it is a dead letter, and nothing was released.
 */
export type Defer = (
  lane: Channel,
  claim: ClaimedLane,
  outcome: Untold,
  /** The card that may have been edited, so that the next try edits it again. */
  edited?: LaneCard,
) => Promise<Date | null | 'give up'>;

/** Waits after faults that nobody can read a time from: 2 s, 4 s, up to 5 min. */
const backoffMs = { first: 2_000, most: 300_000 };
/** Tries of one message: about a day's, or a few where Slack's answer is one that nobody has described. */
const triesMost = { known: 300, unknown: 5 };
/** A workspace that is being moved into an organisation is looked at once an hour. */
const movingMs = 3_600_000;
/** All lanes of a crowded workspace wait no longer than this for the sake of some; those wait as long as they were told to. */
const throttledSeconds = 5;

/** Has a lane wait after nothing was posted, or nobody knows: as long as the outcome asks, or until what is closed is open again. */
export function makeDefer({ clock, tables, transact, pauseChannel, log }: DeferDeps): Defer {
  return async (lane, claim, outcome, edited) => {
    const fields = {
      team: lane.teamId,
      channel: lane.channelId,
      outcome: outcome.kind,
      error: outcome.error,
    };
    log.warn(fields, 'post put off');
    switch (outcome.kind) {
      case 'wait':
        return wait(lane, claim, outcome);
      case 'workspace moving': {
        const until = new Date(clock.now().getTime() + movingMs);
        await tables.paces.stopUntil(lane, until);
        await tables.lanes.release(lane, claim.fence);
        return until;
      }
      case 'perhaps':
      case 'thread gone':
        return backOff(lane, claim, outcome, edited);
      case 'channel closed':
      case 'workspace closed':
        return close(lane, claim, outcome);
    }
  };

  async function wait(
    lane: Channel,
    claim: ClaimedLane,
    { seconds, error }: Extract<Untold, { kind: 'wait' }>,
  ): Promise<Date> {
    const at = clock.now();
    const notBefore = new Date(at.getTime() + seconds * 1_000);
    if (error === 'message_limit_exceeded') await tables.paces.stopUntil(lane, notBefore);
    if (error === 'ratelimited')
      await tables.paces.noteLimited(lane, Math.min(seconds, throttledSeconds), at);
    await tables.lanes.release(lane, claim.fence, { notBefore });
    return notBefore;
  }

  async function backOff(
    lane: Channel,
    claim: ClaimedLane,
    outcome: Untold,
    edited: LaneCard | undefined,
  ): Promise<Date | 'give up'> {
    const failures = claim.failures + 1;
    const isUnknown = outcome.kind === 'perhaps' && outcome.unknown === true;
    if (failures >= (isUnknown ? triesMost.unknown : triesMost.known)) return 'give up';
    const waitMs = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);
    const notBefore = new Date(clock.now().getTime() + waitMs);
    const change = { notBefore, failures, ...(edited && { card: untouchedUntil(edited, notBefore) }) };
    await tables.lanes.release(lane, claim.fence, change, { keepAttempt: outcome.kind === 'perhaps' });
    return notBefore;
  }

  /** The channel is closed to the bot: what it follows waits with it, and its owners are told. */
  async function close(
    lane: Channel,
    claim: ClaimedLane,
    outcome: Extract<Untold, { kind: 'channel closed' | 'workspace closed' }>,
  ): Promise<Date | null> {
    const paused = await transact(async ({ announcements, events, lanes, subscriptions }) => {
      const closing = { reason: outcome.error, since: claim.at };
      if (!(await lanes.close(lane, claim.fence, closing))) return null;
      await events.hold(lane, 'paused');
      await announcements.withdraw(lane, resumedSubject);
      return pauseChannel.pause(subscriptions, lane, outcome);
    });
    if (paused === null) return clock.now();
    await pauseChannel.notify(paused, outcome);
    return null;
  }
}
