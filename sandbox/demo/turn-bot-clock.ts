import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/**
 * Preloaded into the bot: lets the demo turn the clocks of this process as if the machine's had been turned. The demo writes one line to
 * standard input each time: how many milliseconds they are ahead. The initial value is in the environment. The monotonic clock is left
 * alone, because the bot would take a jump for time in which it was suspended.
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

/** Timers of this many milliseconds or more fire when the clock is turned; shorter ones guard work in progress. */
const longWaitMs = 10_000;
/**
 * pg-boss's pauses between two polls of a queue. They are recognized by their caller: each pause is shortened by the duration of the
 * previous poll, which takes seconds on a busy machine.
 */
const isPause = (): boolean =>
  /at clockDelay .*\n.*\/pg-boss\/dist\/worker\.js/.test(new Error().stack ?? '');
/** After the clock is turned, pg-boss polls this often for this long: a due chore passes through two queues. */
const hurried = { everyMs: 300, forMs: 30_000 };
/** Milliseconds until the bot has read its database's new time. */
const settleMs = 500;
let hurriedUntil = 0;

/** The callback of each pause and of each other long timer. */
const waits = new Map<NodeJS.Timeout, () => void>();
/** The callback of each long interval. */
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
// For modules that import them from node:timers.
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
  // Twice, because only the second time the bot knows its new time.
  tick();
  machineSetTimeout(() => {
    tick();
    endWaits();
  }, settleMs);
});
