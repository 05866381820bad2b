import { hourMs, later } from '../../lib/durations.ts';
import { isDataError, isTimedOut } from '../../lib/error-code.ts';
import { retry } from '../../lib/retry.ts';
import { subscriptionEnded } from '../../messages/subscribing/announcements.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import { betweenPostsMs } from '../model/lane-pace.ts';
import { channelFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import type { ClaimedLane } from './delivery-tables.ts';
import { markApart, rowCount } from './mark-apart.ts';
import type { Turn, TurnResult } from './turn.ts';
import { deadFields } from './turn-result.ts';

type MarkTurnDeps = Pick<DeliverDeps, 'clock' | 'tables' | 'mark' | 'sleep' | 'noted' | 'log'>;

/** How a turn leaves its lane: when the next turn can start, and whether events are already waiting for it. */
export type LaneRest = {
  readonly ready: Date;
  readonly waits: boolean;
  /** Whether the next turn needs as many of the lane's events as one message may show. */
  readonly needsWhole?: boolean | undefined;
};

/**
 * Backoff between attempts to store a turn's result, and for how long they continue: as long as a database may be unavailable, even past
 * the end of the claim, since the fence decides.
 */
const retryMs = { first: 100, most: 800, inAll: hourMs };

/** A mark with more rows than this is stored in parts if it takes the database too long. A smaller one waits for something else. */
const smallMark = 100;

/**
 * What a turn that failed adds to its lane's setbacks, and each other one takes off; one that never ended has added 1. For every two, a turn
 * takes half as many events: one with the most.
 */
export const setbacksOf = { fault: 2, most: 26 };

/** Another process claimed the lane after this turn's claim expired. Nothing of the turn is marked. */
export class LaneLostError extends Error {
  override name = 'LaneLostError';

  constructor({ teamId, channelId }: Channel) {
    super(`lane ${teamId}/${channelId} was claimed by another`);
  }
}

/** Returns the mark of a turn that only frees its lane. */
export function untouched({ failures, setbacks, card, orphans }: ClaimedLane, at: Date): TurnMark {
  return {
    at,
    lastPostAt: null,
    notBefore: null,
    failures,
    setbacks: Math.max(0, setbacks - setbacksOf.fault),
    card,
    keepAttempt: false,
    events: orphans.map((seq) => ({ seq, state: 'filtered', reason: 'ended', postedAs: null })),
    messageTs: null,
    items: new Map(),
    notes: [],
    ended: [],
    announcementId: null,
  };
}

/**
 * Makes the only function that marks turns. Without its mark, a message would be posted again, and the lane would rest until its claim
 * expires. So marking is retried until another process has claimed the lane.
 * @throws LaneLostError if another process claimed the lane
 */
export function makeMarkTurn(deps: MarkTurnDeps) {
  const { clock, log } = deps;

  async function store(
    taken: ClaimedLane,
    mark: TurnMark,
    endedUnseen: readonly LaneSubscription[] = [],
  ): Promise<void> {
    const end = clock.now().getTime() + retryMs.inAll;
    const isTooLarge = (error: unknown) => isTimedOut(error) && rowCount(mark) > smallMark;
    const mayPass = (error: unknown) =>
      !(error instanceof LaneLostError || isDataError(error) || isTooLarge(error));
    await retry(
      async () => {
        for (const row of endedUnseen) await announceEnd(taken, row);
        if (!(await deps.mark(taken, mark))) throw new LaneLostError(taken.lane);
      },
      {
        waits: retryMs,
        shouldRetry: (error) => mayPass(error) && clock.now().getTime() < end,
        sleep: deps.sleep,
        failed: (error) =>
          log.warn(
            { err: error, ...channelFields(taken.lane) },
            'could not store the result of a turn; retrying',
          ),
      },
    );
  }

  /** Stores a mark in parts, without the rows with a data error, which no retry can store. */
  async function storeApart(taken: ClaimedLane, mark: TurnMark, error: unknown): Promise<void> {
    if (!isDataError(error) && !isTimedOut(error)) throw error;
    const claimMs = taken.until.getTime() - taken.at.getTime();
    const dead = await markApart(
      mark,
      (part) => store(taken, part),
      () => later(clock.now(), claimMs),
    );
    const said = dead.length > 0 ? 'dead letter: the result of an event' : 'the result of a turn as a whole';
    log.warn({ err: error, ...deadFields(taken, dead) }, `${said} cannot be stored`);
  }

  /** Announces the end of a subscription. The subject keeps it to one announcement even if the turn has to be marked again. */
  async function announceEnd({ lane }: ClaimedLane, row: LaneSubscription): Promise<void> {
    const message = subscriptionEnded(subscribedOf(row), 'deleted');
    await deps.tables.announcements.add(lane, message, clock.now(), `ended ${row.id}`);
  }

  return async (
    taken: ClaimedLane,
    mark: TurnMark,
    posted?: { readonly turn: Turn; readonly state: TurnResult['state'] | null },
  ): Promise<LaneRest> => {
    const unseen = posted?.turn.endedUnseen ?? [];
    await store(taken, mark, unseen).catch((error: unknown) => storeApart(taken, mark, error));
    if (posted) deps.noted?.(posted.turn, posted.state, mark.at);
    // Their events that are still held for a digest or a pause will never be posted.
    if (mark.ended.length > 0) await deps.tables.events.dropEnded(mark.ended);
    return {
      ready: readyAfter(mark),
      waits:
        posted?.turn.more === true || taken.waitsMore || taken.announcement !== null || unseen.length > 0,
    };
  };
}

function readyAfter({ at, lastPostAt, notBefore }: TurnMark): Date {
  const paced = lastPostAt === null ? 0 : lastPostAt.getTime() + betweenPostsMs;
  return new Date(Math.max(at.getTime(), paced, notBefore?.getTime() ?? 0));
}

/** Marks a turn, and returns how it leaves its lane. */
export type MarkTurn = ReturnType<typeof makeMarkTurn>;
