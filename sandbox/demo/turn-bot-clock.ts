/**
 * Loaded into the bot before its own program: lets the demo turn the clocks of this process, as if its machine's had been turned.
 * The demo writes on standard input, a line each time, by how many milliseconds they are ahead; at the start it is in the environment.
 */
const MachineDate = Date;
const machineDateNow = Date.now;
const machinePerformanceNow = performance.now.bind(performance);
const machineSetTimeout = globalThis.setTimeout;
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
// The bot's clock is its database's, and between two looks at that runs on with this one.
performance.now = () => machinePerformanceNow() + ahead;

/** Waits of this many milliseconds or more are over when the clock is turned; the shorter ones guard what is under way. */
const longWaitMs = 10_000;
/** By then the clock of the database is turned, too. */
const databaseTurnsWithinMs = 250;
/** What is done at the end of each long wait. */
const longWaits = new Map<NodeJS.Timeout, () => void>();

function practiceSetTimeout<A extends unknown[]>(
  act: (...args: A) => void,
  ms?: number,
  ...args: A
): NodeJS.Timeout {
  if ((ms ?? 0) < longWaitMs) return machineSetTimeout(act, ms, ...args);
  const end = (): void => {
    longWaits.delete(timer);
    act(...args);
  };
  const timer = machineSetTimeout(end, ms);
  longWaits.set(timer, end);
  return timer;
}

const machineClearTimeout = globalThis.clearTimeout;
globalThis.setTimeout = Object.assign(practiceSetTimeout, machineSetTimeout) as typeof setTimeout;
globalThis.clearTimeout = (timer) => {
  longWaits.delete(timer as NodeJS.Timeout);
  machineClearTimeout(timer);
};

function endLongWaits(): void {
  for (const [timer, end] of [...longWaits]) {
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
  machineSetTimeout(endLongWaits, databaseTurnsWithinMs);
});
