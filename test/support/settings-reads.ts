import pg from 'pg';
import { onTestFinished, vi } from 'vitest';

/** Returns a function that says how often the bots of this process have read a workspace's settings since this call. */
export function settingsReads(): () => number {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const before = query.mock.calls.length;
  return () =>
    query.mock.calls
      .slice(before)
      .filter(([asked]) => JSON.stringify(asked).includes('select value from plancast.settings')).length;
}
