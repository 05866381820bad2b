import { hostname } from 'node:os';
import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** This process, as operators find it: its host, as far as the name of a connection has room for it, and its id. */
const processName = `${hostname().slice(0, 24)}/${process.pid}`;

/** Returns the name of a connection in `pg_stat_activity`: what it is for, and of which process. */
export function connectionName(purpose: string): string {
  return `${purpose} ${processName}`;
}

export type Processor = ReturnType<typeof makeProcessor>;

/** Makes what measures and shares the processor time of this process, which all its work has in common. */
export function makeProcessor() {
  let round: Promise<unknown> = Promise.resolve();
  return {
    /** Returns how much of it was used so far, in milliseconds. */
    usedMs(): number {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    },
    /** Lets other work run. Who waits comes back one by one, each in a round of the event loop of its own, so that many leave room for others. */
    async rest(): Promise<void> {
      round = round.then(() => eventLoopTurn());
      await round;
    },
  };
}
