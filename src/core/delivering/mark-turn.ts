import { setTimeout as sleep } from 'node:timers/promises';
import { hourMs, later } from '../../lib/durations.ts';
import { isDataError, isTimedOut } from '../../lib/error-code.ts';
import { inParts } from '../../lib/in-slices.ts';
import { retry } from '../../lib/retry.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import { subscriptionEnded } from '../../messages/subscribing/announcements.ts';
import * as directMessages from '../../store/tables/direct-messages.ts';
import * as events from '../../store/tables/events.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as traces from '../../store/tables/traces.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { betweenPostsMs } from '../model/lane-card.ts';
import { channelFields, subscriptionFields } from '../model/log-fields.ts';
import type { Channel } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { releaseRound } from '../upstream/sync-round.ts';
import { type ClaimedLane, deadFields, type Turn } from './turn.ts';

/** How a turn leaves its lane: when the next turn can start, and whether events are already waiting for it. */
export type LaneRest = {
  readonly ready: Date;
  readonly waits: boolean;
  /** When an edit that events wait for is due. Unlike `ready`, it does not hold up what arrives before. */
  readonly editAt?: Date | undefined;
  /** Whether the next turn needs as many of the lane's events as one message may show. */
  readonly needsWhole?: boolean | undefined;
};

/**
 * Backoff between attempts to store a turn's result. They continue as long as a database may be unavailable, even past the end of the claim:
 * the fence decides whether the mark still counts.
 */
const retryMs = { first: 100, most: 800, inAll: hourMs };

/** A mark with more rows than this is stored in parts of so many if it takes the database too long. A smaller one waits for something else. */
const partRows = 100;

/**
 * Setbacks of a lane. A failed turn adds `fault`, any other takes that off; a turn that never ended has added 1. A turn takes half as many
 * events for every two setbacks, and only one event with the most.
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
    events: orphans.map((seq) => ({ seq, state: 'filtered', reason: 'ended', postedAs: null })),
    messageTs: null,
    items: new Map(),
    notes: [],
    ended: [],
    pinged: [],
    announcementId: null,
  };
}

/** Returns how many rows a mark writes besides its lane's. */
export const rowCount = ({ events, items, notes }: TurnMark): number =>
  events.length + items.size + notes.length;

/**
 * Stores the result of a turn. Without it, a message would be posted again, and the lane would rest until its claim expires. So it is
 * retried until another process has claimed the lane.
 * @param turn what is counted and logged of it; undefined if it settles nothing
 * @throws LaneLostError if another process claimed the lane
 */
export async function markTurn(bot: Bot, taken: ClaimedLane, mark: TurnMark, turn?: Turn): Promise<LaneRest> {
  const unposted = turn?.endedUnposted ?? [];
  const stored = await store(bot, taken, mark, unposted).then(
    () => mark,
    (error: unknown) => storeWhatCanBe(bot, taken, mark, error),
  );
  if (turn) noteTurn(bot, stored, turn);
  // Their events that are still held for a digest or a pause will never be posted.
  if (mark.ended.length > 0) await events.dropEnded(bot.db, mark.ended);
  return {
    ready: readyAfter(mark),
    editAt: turn?.editAt ?? mark.events.find(({ editAt }) => editAt)?.editAt,
    waits: turn?.more === true || taken.waitsMore || taken.announcement !== null || unposted.length > 0,
  };
}

async function store(
  bot: Bot,
  taken: ClaimedLane,
  mark: TurnMark,
  endedUnposted: readonly LaneSubscription[] = [],
): Promise<void> {
  const { clock, log, queue } = bot;
  const { lane, fence } = taken;
  const end = clock.now().getTime() + retryMs.inAll;
  const isTooLarge = (error: unknown) => isTimedOut(error) && rowCount(mark) > partRows;
  const mayPass = (error: unknown) =>
    !(error instanceof LaneLostError || isDataError(error) || isTooLarge(error));
  await retry(
    async () => {
      // The subject keeps it to one announcement even if the turn has to be marked again.
      for (const row of endedUnposted)
        await announce(bot, lane, subscriptionEnded(subscribedOf(row), 'deleted'), `ended ${row.id}`);
      const { at, announcementId, directId } = mark;
      const isMarked = directId
        ? directMessages.markFirstPost(bot.db, lane, { fence, at, announcementId, directId })
        : queue.mark({ lane, fence, mark });
      if (!(await isMarked)) throw new LaneLostError(lane);
    },
    {
      waits: retryMs,
      shouldRetry: (error) => mayPass(error) && clock.now().getTime() < end,
      sleep,
      failed: (error) =>
        log.warn({ err: error, ...channelFields(lane) }, 'could not store the result of a turn; retrying'),
    },
  );
}

/**
 * Stores a mark that cannot be stored as it is: in parts if it takes the database too long; if the database refuses what is in it, without what was
 * learned, and with all its events as dead letters, since they must not be posted again. Returns the mark that is stored.
 */
async function storeWhatCanBe(
  bot: Bot,
  taken: ClaimedLane,
  mark: TurnMark,
  error: unknown,
): Promise<TurnMark> {
  if (isDataError(error)) {
    const seqs = mark.events.map(({ seq }) => seq);
    const refused = taken.waiting.filter(({ seq }) => seqs.includes(seq));
    const fields = { err: error, ...deadFields(taken, refused) };
    bot.log.warn(fields, 'dead letter: the results of events cannot be stored');
    const dead = { state: 'dead', reason: ownFaults.unrecorded, postedAs: null } as const;
    const events = seqs.map((seq) => ({ seq, ...dead }));
    const asDead = { ...mark, events, items: new Map(), notes: [] };
    await storeInParts(bot, taken, asDead);
    return asDead;
  }
  if (!isTimedOut(error)) throw error;
  bot.log.warn({ err: error, ...channelFields(taken.lane) }, 'the result of a turn is stored in parts');
  await storeInParts(bot, taken, mark);
  return mark;
}

/** Stores a mark in parts. The lane stays claimed until the last one, so nothing is posted in between. */
async function storeInParts(bot: Bot, taken: ClaimedLane, mark: TurnMark): Promise<void> {
  const claimMs = taken.until.getTime() - taken.at.getTime();
  const nothing: TurnMark = { ...mark, events: [], items: new Map(), notes: [], card: null };
  const parts = [
    ...inParts(mark.events, partRows).map((events) => ({ events })),
    ...inParts([...mark.items], partRows).map((items) => ({ items: new Map(items) })),
    ...inParts(mark.notes, partRows).map((notes) => ({ notes })),
  ];
  for (const part of parts) {
    const claimedUntil = later(bot.clock.now(), claimMs);
    await store(bot, taken, {
      ...nothing,
      ended: [],
      pinged: [],
      announcementId: null,
      ...part,
      claimedUntil,
    });
  }
  await store(bot, taken, nothing);
}

function readyAfter({ at, lastPostAt, notBefore }: TurnMark): Date {
  const paced = lastPostAt === null ? 0 : lastPostAt.getTime() + betweenPostsMs;
  return new Date(Math.max(at.getTime(), paced, notBefore?.getTime() ?? 0));
}

/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;

/** Counts and logs a turn that is marked, and starts to delete at the service what has ended with it. */
function noteTurn(bot: Bot, mark: TurnMark, { shown }: Turn): void {
  // What was held, waited for an edit, or was replayed was not posted as soon as possible.
  const live = shown.filter(({ event: { summary, replayed, editAt } }) => !summary && !replayed && !editAt);
  const isPosted = mark.events.some(({ state }) => state === 'posted');
  bot.metrics.settled(mark, isPosted ? live.map(({ event }) => event.receivedAt) : []);
  // The end of a project that a thousand channels follow starts few of these.
  if (mark.ended.length > 0)
    bot.later.runOnce('release', () => releaseRound(bot), 'could not release what has ended');
  logTurn(bot, mark).catch((error: unknown) =>
    bot.log.debug({ err: error }, 'could not look up a turn to log it'),
  );
}

/** Logs each subscription that ended with a turn; and at `debug`, since it takes a query, what became of each notification. */
async function logTurn({ db, log }: Bot, { ended, events: marked }: TurnMark): Promise<void> {
  for (const id of ended) {
    const row = await subscriptions.byId(db, id);
    if (row) log.info({ ...subscriptionFields(row), reason: 'deleted' }, 'removed');
  }
  if (!log.isLevelEnabled('debug')) return;
  const seqs = marked.flatMap(({ seq, state }) => (state === 'pending' ? [] : seq));
  const settled = await traces.settled(db, seqs);
  const alike = Map.groupBy(settled, ({ state, reason, messageTs }) => `${state} ${reason} ${messageTs}`);
  for (const events of alike.values()) {
    for (const line of inParts(events, idsALine)) {
      const { teamId: team, channelId: channel, state, reason, messageTs } = line[0] as (typeof line)[0];
      const ids = {
        events: line.map(({ seq }) => seq).join(' '),
        notifications: line.map(({ notificationId }) => notificationId).join(' '),
      };
      log.debug(
        { team, channel, state, reason: reason ?? undefined, message: messageTs ?? undefined, ...ids },
        'turn',
      );
    }
  }
}
