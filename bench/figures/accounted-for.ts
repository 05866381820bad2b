import { setTimeout as sleep } from 'node:timers/promises';
import { epochNow } from '../load/closed-loop.ts';
import { type BenchDatabase, pendingIn } from '../stage/database.ts';

const lookEveryMs = 50;

/**
 * Waits until nothing is left to post. Returns when that was, in epoch milliseconds.
 * @throws if it takes longer than `withinMs`
 */
export async function accountedFor(database: BenchDatabase, withinMs: number): Promise<number> {
  const deadline = epochNow() + withinMs;
  for (;;) {
    const waiting = await pendingIn(database);
    const now = epochNow();
    if (waiting === 0) return now;
    if (now > deadline)
      throw new Error(`${waiting} notifications are still pending after ${withinMs / 1_000} s`);
    await sleep(lookEveryMs);
  }
}
