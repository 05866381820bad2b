// Longer than other files: one state machine, whose steps share what is due, taken and waited for.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { HeldClaims } from '../core/model/held-claims.ts';
import type { Channel } from '../core/model/people.ts';
import { makeBatchSize } from '../lib/batch-size.ts';
import { later, minuteMs } from '../lib/durations.ts';
import { isDatabaseAway } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import { makeHeldClaims } from './held-claims.ts';

/** A lane that was taken, as far as it matters here. */
type WithLane = { readonly lane: Channel };

/** What the dispatcher asks of the queue, which is the table of lanes. */
type DispatchedQueue<Lane extends WithLane> = {
  readonly take: (
    named: readonly Channel[],
    claim: {
      readonly now: Date;
      readonly until: Date;
      readonly by: string;
      readonly lost: readonly string[];
      readonly held: HeldClaims | null;
      readonly most: number;
      readonly eventsEach: number;
    },
  ) => Promise<{
    readonly taken: readonly Lane[];
    readonly resting: readonly { readonly lane: Channel; readonly ready: Date }[];
  }>;
  readonly sweep: (
    now: Date,
    held: HeldClaims | null,
    part: { readonly after: Channel | null; readonly most: number },
  ) => Promise<{ readonly lanes: readonly Channel[]; readonly next: Channel | null }>;
};

export type DispatchDeps<Lane extends WithLane> = {
  readonly queue: DispatchedQueue<Lane>;
  /** Gives a lane a turn; returns when it may have the next one, and whether events wait for that. Null: neither is known. */
  readonly deliver: (taken: Lane) => Promise<{ readonly ready: Date; readonly waits: boolean } | null>;
  /** Unique among all processes. */
  readonly processId: string;
  readonly now: () => Date;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Called each time the database has answered, before any lane has a turn for that. Does not throw. */
  readonly answered?: (() => Promise<void>) | undefined;
  /** Called after each take, for the metrics: how long its lanes had been due, in seconds. */
  readonly noted?: ((waited: readonly number[]) => void) | undefined;
};

/** Lanes worked on at once. Each mostly waits for Slack. */
const slots = 150;
/** Lanes that one statement takes. */
const lanesMost = 100;
/** Lanes with something waiting that one sweep looks at. */
const sweptMost = 100_000;
/** Events that it brings: so many for each lane that it may take, but at least and at most so many of one. */
const events = { perLane: 50, eachLeast: 100, eachMost: 2_000 };
/** Turns begun in one turn of the event loop: rendering many in one go would hold up the requests that come meanwhile. */
const begunAtOnce = 3;
/** How long a claim holds: longer than a post to Slack may take (10 s), and so short that others post 15 s after a crash. */
const claimMs = 14_000;
/**
 * From the start of one take to the start of the next, so that a busy process takes several lanes at once: a statement costs nearly the same
 * for three lanes as for one. A lane that comes after a quiet moment is taken at once.
 */
const betweenTakesMs = 25;
/** How often lanes are looked for that no signal announced: those that other processes left, or that had to wait for long. */
const sweepEveryMs = 2_000;
/** The same where this process has had nothing to do for as many sweeps. What others hold is not free before 14 s are over. */
const quiet = { after: 5, sweepEveryMs: 4_000 };
/** However often it is asked for. */
const betweenSweepsMs = 200;
/** A lane whose row is locked by another transaction is asked for again after as long. */
const lockedMs = 50;
/** After a take or a turn failed, its lanes are asked for again; where a take's answer was lost, the server has them down as taken. */
const afterFaultMs = 1_000;
/** So long a take whose answer was lost may still come to be carried out. */
const lostForMs = 2 * claimMs;
/** A longer wait is left to the sweep. */
const longestTimerMs = minuteMs;

/**
 * Gives lanes their turns. What is due is known from memory: lanes for which this process stored something, of which others sent a signal, and
 * which were to wait. What nobody remembers is found by a sweep. Many lanes are taken with one statement, one statement at a time.
 */
export function startDispatch<Lane extends WithLane>(deps: DispatchDeps<Lane>) {
  const { queue, log } = deps;
  const due = new Map<string, { readonly lane: Channel; readonly since: number }>();
  /** Lanes that have a turn, or are being asked for. */
  const active = new Set<string>();
  /** Lanes in which something came while they were. */
  const again = new Set<string>();
  /** When lanes may have their next turn, in milliseconds since the epoch, as this process left them. */
  const resting = new Map<string, number>();
  const timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  const heldClaims = makeHeldClaims({ forMs: claimMs, now: deps.now });
  const size = makeBatchSize(lanesMost);
  const sweepSize = makeBatchSize(sweptMost);
  /** Where the last sweep ended; null where it came to the end. */
  let sweptTo: Channel | null = null;
  let lost: { readonly by: string; readonly at: number }[] = [];
  /** Part of the name of the next take: those that fail in a row share one, so that there are few to remember. */
  let answeredTakes = 0;
  let turns = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let taking = false;
  let lookTimer: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweepTimer: NodeJS.Timeout | undefined;
  /** Sweeps in a row that found nothing while nothing was to be done here. */
  let idleSweeps = 0;
  let stopping = false;
  let settled = () => {};

  sweepIn(0);

  /** Lanes in which something waits. */
  function wake(lanes: readonly Channel[]): void {
    const now = deps.now().getTime();
    for (const lane of lanes) {
      const key = keyOf(lane);
      const ready = resting.get(key) ?? 0;
      if (active.has(key)) again.add(key);
      else if (ready > now) wakeAt(lane, ready);
      else makeDue(key, lane);
    }
    look();
  }

  function makeDue(key: string, lane: Channel): void {
    if (!due.has(key)) due.set(key, { lane, since: performance.now() });
  }

  function wakeAt(lane: Channel, at: number): void {
    const key = keyOf(lane);
    const known = timers.get(key);
    const wait = Math.max(1, at - deps.now().getTime() + 1);
    if (stopping || wait > longestTimerMs || (known && known.at <= at)) return;
    clearTimeout(known?.timer);
    const fire = () => {
      timers.delete(key);
      resting.delete(key);
      wake([lane]);
    };
    timers.set(key, { at, timer: setTimeout(fire, wait) });
  }

  function look(): void {
    if (stopping || taking || lookTimer || due.size === 0 || active.size >= slots) return;
    const wait = takenAt + betweenTakesMs - performance.now();
    lookTimer = setTimeout(
      () => {
        lookTimer = undefined;
        if (!stopping) void takeDue();
      },
      Math.max(0, wait),
    );
  }

  async function takeDue(): Promise<void> {
    const named: Channel[] = [];
    const waited: number[] = [];
    takenAt = performance.now();
    for (const [key, { lane, since }] of due) {
      if (named.length >= size.current() || active.size >= slots) break;
      due.delete(key);
      active.add(key);
      named.push(lane);
      waited.push((takenAt - since) / 1_000);
    }
    if (named.length === 0) return;
    taking = true;
    try {
      await take(named, waited);
    } finally {
      taking = false;
      look();
      finishIfDone();
    }
  }

  async function take(named: readonly Channel[], waited: readonly number[]): Promise<void> {
    const by = `${deps.processId}.${answeredTakes}`;
    const now = deps.now();
    lost = lost.filter(({ at }) => now.getTime() - at < lostForMs);
    const claim = {
      now,
      until: later(now, claimMs),
      by,
      lost: lost.map((one) => one.by),
      held: heldClaims.current(),
      most: named.length,
      eventsEach: eventsEach(named.length),
    };
    const left = new Map(named.map((lane) => [keyOf(lane), lane]));
    try {
      const { taken, resting: others } = await queue.take(named, claim);
      answeredTakes += 1;
      size.grow(named.length);
      await noteAnswer();
      deps.noted?.(waited);
      for (const [n, each] of taken.entries()) {
        left.delete(keyOf(each.lane));
        void work(each);
        if ((n + 1) % begunAtOnce === 0) await eventLoopTurn();
      }
      for (const { lane } of others) again.add(keyOf(lane));
      for (const [key, lane] of left) leave(key, lane, readyOf(others, key, now));
    } catch (error) {
      log.warn({ err: error, lanes: named.length }, 'lanes could not be taken');
      noteFault(error, { by, now, lanes: named.length });
      for (const [key, lane] of left) {
        active.delete(key);
        again.delete(key);
        wakeAt(lane, deps.now().getTime() + afterFaultMs);
      }
    }
  }

  function noteFault(error: unknown, take: { by: string; now: Date; lanes: number }): void {
    if (isDatabaseAway(error)) {
      heldClaims.failed(take.now);
      lost = [...lost.filter((one) => one.by !== take.by), { by: take.by, at: deps.now().getTime() }];
    } else {
      // Whichever lane it is that takes too long or cannot be read: the fewer come with it, the fewer it holds up.
      size.shrink(take.lanes);
    }
  }

  async function noteAnswer(): Promise<void> {
    heldClaims.answered();
    await deps.answered?.();
  }

  /** The events that a take brings of each lane, at most. */
  function eventsEach(lanes: number): number {
    const together = size.current() * events.perLane;
    const share = Math.max(Math.min(events.eachLeast, together), Math.floor(together / lanes));
    return Math.min(events.eachMost, share);
  }

  async function work(taken: Lane): Promise<void> {
    const key = keyOf(taken.lane);
    turns += 1;
    const rest = await deps.deliver(taken).catch((error: unknown) => {
      log.error({ err: error, team: taken.lane.teamId }, 'a turn of a lane failed');
      again.add(key);
      return null;
    });
    turns -= 1;
    const ready = rest?.ready.getTime() ?? deps.now().getTime() + afterFaultMs;
    if (rest?.waits) again.add(key);
    leave(key, taken.lane, ready);
    look();
    finishIfDone();
  }

  /** A lane is nobody's any more here, and is looked at again where something waits in it. */
  function leave(key: string, lane: Channel, ready: number): void {
    active.delete(key);
    if (ready > deps.now().getTime()) resting.set(key, ready);
    if (!again.delete(key) || stopping) return;
    if (ready > deps.now().getTime()) wakeAt(lane, ready);
    else makeDue(key, lane);
  }

  function sweepIn(wait: number): void {
    if (stopping) return;
    clearTimeout(sweepTimer);
    sweepTimer = setTimeout(() => void sweep(), wait);
  }

  /** Something waits somewhere, or something may have been missed. */
  function wakeAll(): void {
    sweepIn(Math.max(0, sweptAt + betweenSweepsMs - performance.now()));
  }

  async function sweep(): Promise<void> {
    sweptAt = performance.now();
    const now = deps.now();
    let next = betweenSweepsMs;
    endRests(now);
    try {
      for (const lane of await sweepPart(now)) {
        const key = keyOf(lane);
        if (!active.has(key)) makeDue(key, lane);
      }
      idleSweeps = isIdle() ? idleSweeps + 1 : 0;
      look();
      if (sweptTo === null) next = wholeSweepIn();
    } catch (error) {
      next = sweepEveryMs;
      if (isDatabaseAway(error)) heldClaims.failed(now);
      else sweepSize.shrink(sweepSize.current());
      idleSweeps = 0;
      log.warn({ err: error }, 'waiting lanes could not be looked for');
    }
    sweepIn(next);
  }

  /** Looks at the next lanes in which something waits; returns those that may have a turn. */
  async function sweepPart(now: Date): Promise<readonly Channel[]> {
    const most = sweepSize.current();
    const { lanes, next } = await queue.sweep(now, heldClaims.current(), { after: sweptTo, most });
    sweptTo = next;
    sweepSize.grow(most);
    await noteAnswer();
    return lanes;
  }

  function wholeSweepIn(): number {
    return idleSweeps > quiet.after ? quiet.sweepEveryMs : sweepEveryMs;
  }

  function endRests(now: Date): void {
    for (const [key, ready] of resting) if (ready <= now.getTime()) resting.delete(key);
  }

  /** Nothing waits, nothing is posted, and nothing is planned. */
  function isIdle(): boolean {
    return due.size + active.size + resting.size + timers.size === 0;
  }

  function finishIfDone(): void {
    if (turns === 0 && !taking) settled();
  }

  return {
    wake,
    wakeAll,

    /** How long the lane that waits longest has been due, in seconds. */
    lag(): number {
      const [first] = due.values();
      return first ? (performance.now() - first.since) / 1_000 : 0;
    },

    /** Takes nothing more, and waits for the turns under way. */
    async stop(): Promise<void> {
      stopping = true;
      clearTimeout(sweepTimer);
      clearTimeout(lookTimer);
      for (const { timer } of timers.values()) clearTimeout(timer);
      await new Promise<void>((resolve) => {
        settled = resolve;
        finishIfDone();
      });
    },
  };
}

function keyOf({ teamId, channelId }: Channel): string {
  return `${teamId}/${channelId}`;
}

function readyOf(
  others: readonly { readonly lane: Channel; readonly ready: Date }[],
  key: string,
  now: Date,
): number {
  const other = others.find(({ lane }) => keyOf(lane) === key);
  return other ? Math.max(other.ready.getTime(), now.getTime() + lockedMs) : now.getTime();
}
