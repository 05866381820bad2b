import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/**
 * Loaded into the bot before its own program: lets the demo turn the clocks of this process, as if its machine's had been turned.
 * The demo writes on standard input, a line each time, by how many milliseconds they are ahead; at the start it is in the environment.
 * The monotonic clock is left alone: the bot would take the jump for a time in which it did not run.
 */
const MachineDate = Date;
const machineDateNow = Date.now;
const machineSetTimeout = globalThis.setTimeout;
const machineClearTimeout = globalThis.clearTimeout;
const machineSetInterval = globalThis.setInterval;
const machineClearInterval = globalThis.clearInterval;
let ahead = Number(process.env.PRACTICE_CLOCK_AHEAD ?? 0);

class PracticeDate extends MachineDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(PracticeDate.now());
    else super(...(parts as [number]));
  }
  static override now(): number {
    return machineDateNow() + ahead;
  }
}

globalThis.Date = PracticeDate as DateConstructor;

/** Waits of this many milliseconds or more are over when the clock is turned; the shorter ones guard what is under way. */
const longWaitMs = 10_000;
/**
 * pg-boss's pauses between two looks, less the look itself: 10 s where it looks for chores that have come due, and 5 s where those are
 * taken (a queue that was made just now is not yet announced to itself).
 */
const isPause = (ms: number): boolean => (ms > 9_000 && ms < 10_000) || (ms > 4_000 && ms < 5_000);
/** When they are ended, in milliseconds after the turn; the later ones are for a busy machine. The database's clock is turned before. */
const endings = [250, 500, 900, 1_500, 2_500, 4_000, 6_000, 9_000];

/** What is done at the end of each long wait, and of each pause. */
const longWaits = new Map<NodeJS.Timeout, () => void>();
const pauses = new Map<NodeJS.Timeout, () => void>();
/** What is done at each tick of a long interval. */
const intervals = new Map<NodeJS.Timeout, () => void>();

function practiceSetTimeout<A extends unknown[]>(
  act: (...args: A) => void,
  ms = 0,
  ...args: A
): NodeJS.Timeout {
  const waits = ms >= longWaitMs ? longWaits : isPause(ms) ? pauses : undefined;
  if (waits === undefined) return machineSetTimeout(act, ms, ...args);
  const end = (): void => {
    waits.delete(timer);
    act(...args);
  };
  const timer = machineSetTimeout(end, ms);
  waits.set(timer, end);
  return timer;
}

function practiceSetInterval<A extends unknown[]>(
  act: (...args: A) => void,
  ms = 0,
  ...args: A
): NodeJS.Timeout {
  const timer = machineSetInterval(act, ms, ...args);
  if (ms >= longWaitMs) intervals.set(timer, () => act(...args));
  return timer;
}

globalThis.setTimeout = Object.assign(practiceSetTimeout, machineSetTimeout) as typeof setTimeout;
globalThis.clearTimeout = (timer) => {
  longWaits.delete(timer as NodeJS.Timeout);
  pauses.delete(timer as NodeJS.Timeout);
  machineClearTimeout(timer);
};
globalThis.setInterval = practiceSetInterval as typeof setInterval;
globalThis.clearInterval = (timer) => {
  intervals.delete(timer as NodeJS.Timeout);
  machineClearInterval(timer);
};
// For those who import it.
Object.assign(timers, { setInterval: globalThis.setInterval, clearInterval: globalThis.clearInterval });
syncBuiltinESMExports();

function endAll(waits: ReadonlyMap<NodeJS.Timeout, () => void>): void {
  for (const [timer, end] of [...waits]) {
    machineClearTimeout(timer);
    end();
  }
}

let unfinished = '';
process.stdin.on('data', (chunk) => {
  const lines = `${unfinished}${String(chunk)}`.split('\n');
  unfinished = lines.pop() ?? '';
  const last = lines.at(-1);
  if (last === undefined) return;
  ahead = Number(last);
  for (const [index, ms] of endings.entries()) {
    machineSetTimeout(() => {
      if (index === 0) endAll(longWaits);
      // Twice: the second time the bot knows its new time.
      if (index < 2) for (const tick of [...intervals.values()]) tick();
      endAll(pauses);
    }, ms);
  }
});
