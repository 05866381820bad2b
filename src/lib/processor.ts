import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** The processor time of this process, which all its work shares. */
export type Processor = {
  /** Returns how much of it was used so far, in milliseconds. */
  readonly usedMs: () => number;
  /** Lets other work run. Who waits comes back one by one, each in a round of the event loop of its own, so that many leave room for others. */
  readonly rest: () => Promise<void>;
};

export function makeProcessor(): Processor {
  let round: Promise<unknown> = Promise.resolve();
  return {
    usedMs() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    async rest() {
      round = round.then(() => eventLoopTurn());
      await round;
    },
  };
}
