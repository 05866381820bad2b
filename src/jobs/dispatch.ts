import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { LaneRest } from '../core/delivering/mark-turn.ts';
import {
  type HeldClaims,
  type LaneClaim,
  mostBytes,
  mostEvents,
  type RestingLane,
} from '../core/model/lane-card.ts';
import { channelFields } from '../core/model/log-fields.ts';
import { type Channel, channelKey } from '../core/model/people.ts';
import { later, minuteMs } from '../lib/durations.ts';
import { isDatabaseAway } from '../lib/error-code.ts';
import { makeBatchSize } from '../lib/in-batches.ts';
import type { Log } from '../lib/log.ts';
import { makeHeldClaims } from './held-claims.ts';

// Longer than other files: one state machine, whose steps share what is due, taken and waited for.

/** The part of a taken lane that the dispatcher uses. */
type WithLane = { readonly lane: Channel; readonly bytes: number };

/** The part of the queue, the table of lanes, that the dispatcher uses. */
type DispatchedQueue<Lane extends WithLane> = {
  readonly take: (
    named: readonly Channel[],
    claim: LaneClaim,
  ) => Promise<{ readonly taken: readonly Lane[]; readonly resting: readonly RestingLane[] }>;
  readonly sweep: (
    now: Date,
    held: HeldClaims | null,
    part: { readonly after: Channel | null; readonly most: number },
  ) => Promise<{ readonly lanes: readonly Channel[]; readonly next: Channel | null }>;
};

type DispatchDeps<Lane extends WithLane> = {
  readonly queue: DispatchedQueue<Lane>;
  /** Runs a lane's turn. Returns how it leaves the lane; null if that is not known. */
  readonly deliver: (taken: Lane) => Promise<LaneRest | null>;
  /** Unique among all processes. */
  readonly processId: string;
  readonly now: () => Date;
  readonly log: Pick<Log, 'warn' | 'error'>;
};

/** Turns in flight at once. Each mostly waits for Slack. */
const slots = 150;
/** Maximum lanes that one statement takes. */
const lanesMost = 100;
/** Maximum lanes with pending events that one sweep examines. */
const sweptMost = 100_000;
/** Events that a take loads: this many per lane on average, with a minimum and a maximum for a single lane. */
const events = { perLane: 50, eachLeast: 100, eachMost: mostEvents };
/** Bytes of events: of all turns at once, of one take, and of one while others hold too many. */
const bytes = { most: 16_000_000, taken: mostBytes, least: 50_000 };
/** Turns started before the event loop gets to run: rendering many in a row would delay incoming requests. */
const begunAtOnce = 3;
/** How long a claim lasts: longer than a post to Slack can take (10 s), and short enough that another process posts within 15 s of a crash. */
export const claimMs = 14_000;
/** Between the starts of two takes, if busy: a statement costs about the same for three lanes as for one. */
const betweenTakesMs = 25;
/** How often to look for lanes that no signal announced: those that other processes did not finish, or that had to wait a long time. */
const sweepEveryMs = 2_000;
/** How often once this many sweeps in a row found an idle process. Lanes claimed by others are not free for up to 14 s anyway. */
const quiet = { after: 5, sweepEveryMs: 4_000 };
/** Minimum time between two sweeps, however often they are requested. */
const betweenSweepsMs = 200;
/** How soon to retry a lane whose row another transaction has locked. */
const lockedMs = 50;
/** How soon to retry the lanes of a failed take or turn. If only the take's answer was lost, the server still counts them as taken. */
const afterFaultMs = 1_000;
/** How long the server may still execute a take whose answer was lost. */
const lostForMs = 2 * claimMs;
/** Longer waits are left to the sweep. */
const longestTimerMs = minuteMs;

/**
 * Runs the lanes' turns. Due lanes are tracked in memory: those for which this process stored events, those that other processes signaled,
 * and those whose wait is over. A sweep finds the rest. One statement takes many lanes, and only one runs at a time.
 */
export function startDispatch<Lane extends WithLane>(deps: DispatchDeps<Lane>) {
  const { queue, log } = deps;
  const due = new Map<string, Channel>();
  /** Lanes that have a turn or are being taken. */
  const active = new Set<string>();
  /** Lanes whose next take brings as many events as one message may show. They are taken one by one. */
  const whole = new Set<string>();
  /** Active lanes that received something in the meantime. */
  const again = new Set<string>();
  /** When the next turn of each lane that this process left can start, in milliseconds since the epoch. */
  const resting = new Map<string, number>();
  const timers = new Map<string, { readonly timer: NodeJS.Timeout; readonly at: number }>();
  const heldClaims = makeHeldClaims({ forMs: claimMs, now: deps.now });
  const size = makeBatchSize(lanesMost);
  const sweepSize = makeBatchSize(sweptMost);
  /** The lane at which the last sweep stopped; null if it reached the end. */
  let sweptTo: Channel | null = null;
  let lost: { readonly by: string; readonly at: number }[] = [];
  /** Part of the next take's name. Takes that fail in a row share a name, so that few have to be remembered. */
  let answeredTakes = 0;
  let turns = 0;
  /** Bytes of the events in these turns. */
  let loaded = 0;
  let takenAt = Number.NEGATIVE_INFINITY;
  let taking = false;
  /** Whether a take is about to start. */
  let planned = false;
  let takeTimer: NodeJS.Timeout | undefined;
  let sweptAt = Number.NEGATIVE_INFINITY;
  let sweepTimer: NodeJS.Timeout | undefined;
  /** Consecutive sweeps that found nothing while this process was idle. */
  let idleSweeps = 0;
  let stopping = false;
  let settled = () => {};

  sweepIn(0);

  /** Makes lanes with pending events due, or due as soon as their wait is over. */
  function wake(lanes: readonly Channel[]): void {
    const now = deps.now().getTime();
    for (const lane of lanes) {
      const key = channelKey(lane);
      const ready = resting.get(key) ?? 0;
      if (active.has(key)) again.add(key);
      else if (ready > now) wakeAt(lane, ready);
      else due.set(key, lane);
    }
    planTake();
  }

  function wakeAt(lane: Channel, at: number): void {
    const key = channelKey(lane);
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

  function planTake(): void {
    if (stopping || taking || planned || due.size === 0 || active.size >= slots) return;
    planned = true;
    const wait = takenAt + betweenTakesMs - performance.now();
    const start = () => {
      planned = false;
      if (!stopping) void takeDue();
    };
    if (wait > 0) takeTimer = setTimeout(start, wait);
    // A timer would wait for a millisecond at least.
    else setImmediate(start);
  }

  /** Returns the lanes to take next: as many as one statement takes, or one that needs its events whole. */
  function nextDue(): [key: string, Channel][] {
    const next: [string, Channel][] = [];
    for (const entry of due) {
      if (next.length >= size.current() || active.size + next.length >= slots) break;
      if (!whole.has(entry[0])) next.push(entry);
      else if (next.length === 0 && loaded + bytes.taken <= bytes.most) return [entry];
    }
    return next;
  }

  async function takeDue(): Promise<void> {
    const named: Channel[] = [];
    let isWhole = false;
    takenAt = performance.now();
    for (const [key, lane] of nextDue()) {
      due.delete(key);
      active.add(key);
      isWhole = whole.delete(key);
      named.push(lane);
    }
    if (named.length === 0) return;
    taking = true;
    try {
      await take(named, isWhole);
    } finally {
      taking = false;
      planTake();
      finishIfDone();
    }
  }

  async function take(named: readonly Channel[], isWhole: boolean): Promise<void> {
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
      eventsEach: eventsEach(named.length, isWhole),
      bytes: bytesInAll(isWhole),
    };
    const left = new Map(named.map((lane) => [channelKey(lane), lane]));
    try {
      const { taken, resting: others } = await queue.take(named, claim);
      answeredTakes += 1;
      size.grow(named.length);
      heldClaims.answered();
      for (const [n, each] of taken.entries()) {
        left.delete(channelKey(each.lane));
        void work(each);
        if ((n + 1) % begunAtOnce === 0) await eventLoopTurn();
      }
      for (const { lane } of others) again.add(channelKey(lane));
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
      // One of the lanes takes too long or cannot be read. The fewer are taken with it, the fewer it holds up.
      size.shrink(take.lanes);
    }
  }

  /** Returns the maximum bytes of events that a take loads for all its lanes. */
  function bytesInAll(isWhole: boolean): number {
    // Room for a lane that needs its events whole and waits for that.
    const kept = isWhole || whole.size === 0 ? 0 : bytes.taken;
    return Math.max(bytes.least, Math.min(bytes.taken, bytes.most - loaded - kept));
  }

  /** Returns the maximum events that a take of so many lanes loads for each. */
  function eventsEach(lanes: number, isWhole: boolean): number {
    if (isWhole) return mostEvents;
    const together = size.current() * events.perLane;
    const share = Math.max(Math.min(events.eachLeast, together), Math.floor(together / lanes));
    return Math.min(events.eachMost, share);
  }

  async function work(taken: Lane): Promise<void> {
    const key = channelKey(taken.lane);
    turns += 1;
    loaded += taken.bytes;
    const rest = await deps.deliver(taken).catch((error: unknown) => {
      log.error({ err: error, ...channelFields(taken.lane) }, 'a turn of a lane failed');
      again.add(key);
      return null;
    });
    turns -= 1;
    loaded -= taken.bytes;
    const ready = rest?.ready.getTime() ?? deps.now().getTime() + afterFaultMs;
    if (rest?.waits) again.add(key);
    if (rest?.needsWhole) whole.add(key);
    leave(key, taken.lane, ready);
    if (rest?.editAt) wakeAt(taken.lane, rest.editAt.getTime());
    planTake();
    finishIfDone();
  }

  /** Ends this process's work on a lane, and schedules its next turn if events are waiting. */
  function leave(key: string, lane: Channel, ready: number): void {
    active.delete(key);
    if (ready > deps.now().getTime()) resting.set(key, ready);
    if (!again.delete(key) || stopping) return;
    if (ready > deps.now().getTime()) wakeAt(lane, ready);
    else due.set(key, lane);
  }

  function sweepIn(wait: number): void {
    if (stopping) return;
    clearTimeout(sweepTimer);
    sweepTimer = setTimeout(() => void sweep(), wait);
  }

  /** Sweeps soon: something is pending somewhere, or a signal may have been missed. */
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
        const key = channelKey(lane);
        if (!active.has(key)) due.set(key, lane);
      }
      idleSweeps = isIdle() ? idleSweeps + 1 : 0;
      planTake();
      if (sweptTo === null) next = wholeSweepIn();
    } catch (error) {
      next = sweepEveryMs;
      if (isDatabaseAway(error)) heldClaims.failed(now);
      else sweepSize.shrink(sweepSize.current());
      idleSweeps = 0;
      log.warn({ err: error }, 'could not look for lanes with pending events');
    }
    sweepIn(next);
  }

  /** Scans the next lanes with pending events; returns those that are ready for a turn. */
  async function sweepPart(now: Date): Promise<readonly Channel[]> {
    const most = sweepSize.current();
    const { lanes, next } = await queue.sweep(now, heldClaims.current(), { after: sweptTo, most });
    sweptTo = next;
    sweepSize.grow(most);
    heldClaims.answered();
    return lanes;
  }

  function wholeSweepIn(): number {
    return idleSweeps > quiet.after ? quiet.sweepEveryMs : sweepEveryMs;
  }

  function endRests(now: Date): void {
    for (const [key, ready] of resting) if (ready <= now.getTime()) resting.delete(key);
  }

  /** Returns whether no lane is due, active, or scheduled. */
  function isIdle(): boolean {
    return due.size + active.size + resting.size + timers.size === 0;
  }

  function finishIfDone(): void {
    if (turns === 0 && !taking) settled();
  }

  return {
    wake,
    wakeAll,

    /** Takes nothing more, and waits for the turns under way. */
    async stop(): Promise<void> {
      stopping = true;
      clearTimeout(sweepTimer);
      clearTimeout(takeTimer);
      for (const { timer } of timers.values()) clearTimeout(timer);
      await new Promise<void>((resolve) => {
        settled = resolve;
        finishIfDone();
      });
    },
  };
}

function readyOf(others: readonly RestingLane[], key: string, now: Date): number {
  const other = others.find(({ lane }) => channelKey(lane) === key);
  return other ? Math.max(other.ready.getTime(), now.getTime() + lockedMs) : now.getTime();
}
