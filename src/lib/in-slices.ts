import { setImmediate as eventLoopTurn } from 'node:timers/promises';

/** Maximum time to block the event loop, in milliseconds. */
const sliceMs = 10;

/** Calls `act` for each item, in order, and yields to the event loop whenever that has taken a while. */
export async function inSlices<T>(all: Iterable<T>, act: (one: T) => void): Promise<void> {
  let since = performance.now();
  for (const one of all) {
    act(one);
    if (performance.now() - since < sliceMs) continue;
    await eventLoopTurn();
    since = performance.now();
  }
}
