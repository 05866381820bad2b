import { makeInBatches } from '../../lib/in-batches.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import type { Bot } from '../bot.ts';
import type { Channel } from '../model/people.ts';

/** The most groups of lanes in one signal, and the milliseconds between two. */
const signalBatches = { most: 1_000, gapMs: 10 };

/**
 * Returns what a process does with new events that does not post: it signals their lanes to those that do, together with what follows within a
 * moment. A failure is only logged, because a sweep finds what no signal reached.
 */
export function makeSignalSoon({ db, log }: Pick<Bot, 'db' | 'log'>): (lanes: readonly Channel[]) => void {
  const signal = makeInBatches<readonly Channel[]>({
    ...signalBatches,
    run: async (lanes) => {
      await signalLanes(db, lanes.flat());
      return new Set(lanes);
    },
  });
  return (lanes) =>
    void signal(lanes).catch((error: unknown) =>
      log.warn({ err: error }, 'could not signal pending lanes to other processes'),
    );
}
