import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** Maximum time to block the event loop, in milliseconds. */
const sliceMs = 10;

/** How slices of work are timed, and what comes between two: `rest` gets how long the last one took, and ends the work by returning false. */
export type Pace = {
  readonly now: () => number;
  readonly rest: (ms: number) => Promise<boolean>;
};

const usual: Pace = { now: () => performance.now(), rest: () => eventLoopTurn(true) };

/**
 * Calls `act` for each item, in order, and yields to the event loop whenever that has taken a while.
 * @returns whether all items were handled; the first always is
 */
export async function inSlices<T>(
  all: Iterable<T>,
  act: (one: T) => void,
  { now, rest } = usual,
): Promise<boolean> {
  let since = now();
  let ms = 0;
  for (const one of all) {
    if (ms >= sliceMs) {
      if (!(await rest(ms))) return false;
      since = now();
    }
    act(one);
    ms = now() - since;
  }
  return true;
}

/** Splits a list into parts of at most `most` elements, in order; an empty list has none. */
export function inParts<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
    all.slice(index * most, (index + 1) * most),
  );
}
