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
 * pg-boss's pauses between two looks at a queue. They are known by who asks: each is shorter by as long as the look before has taken,
 * which is seconds on a busy machine.
 */
const isPause = (): boolean =>
  /at clockDelay .*\n.*\/pg-boss\/dist\/worker\.js/.test(new Error().stack ?? '');
/** After the clock is turned, pg-boss looks this often for so long: a chore that has come due passes through two queues. */
const hurried = { everyMs: 300, forMs: 30_000 };
/** Until the bot knows its database's new time, in milliseconds. */
const settleMs = 500;
let hurriedUntil = 0;

/** What is done at the end of each pause, and of each other long wait. */
const waits = new Map<NodeJS.Timeout, () => void>();
/** What is done at each tick of a long interval. */
const intervals = new Map<NodeJS.Timeout, () => void>();

function practiceSetTimeout<A extends unknown[]>(
  act: (...args: A) => void,
  ms = 0,
  ...args: A
): NodeJS.Timeout {
  const paused = ms > hurried.everyMs && isPause();
  if (!paused && ms < longWaitMs) return machineSetTimeout(act, ms, ...args);
  if (paused && performance.now() < hurriedUntil) return machineSetTimeout(act, hurried.everyMs, ...args);
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
  waits.delete(timer as NodeJS.Timeout);
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

function endWaits(): void {
  hurriedUntil = performance.now() + hurried.forMs;
  for (const [timer, end] of [...waits]) {
    machineClearTimeout(timer);
    end();
  }
}

function tick(): void {
  for (const act of [...intervals.values()]) act();
}

let unfinished = '';
process.stdin.on('data', (chunk) => {
  const lines = `${unfinished}${String(chunk)}`.split('\n');
  unfinished = lines.pop() ?? '';
  const last = lines.at(-1);
  if (last === undefined) return;
  ahead = Number(last);
  // Twice: the second time the bot knows its new time.
  tick();
  machineSetTimeout(() => {
    tick();
    endWaits();
  }, settleMs);
});
