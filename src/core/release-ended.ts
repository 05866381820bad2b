import type { Subscriptions } from '../store/subscriptions.ts';
import type { Clock } from './clock.ts';
import { timeLeft } from './time-left.ts';
import type { Upstream } from './upstream.ts';

export type ReleaseEndedDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'unreleased'>;
  readonly upstream: Pick<Upstream, 'release'>;
};

/** Older ones are left to the hourly check. */
const sinceMs = 24 * 3_600_000;
const shareMs = 20_000;
const rowsARound = 200;

/** Removes the service's side of subscriptions that have ended, where that did not succeed when they did. For every minute. */
export function makeReleaseEnded({ clock, subscriptions, upstream }: ReleaseEndedDeps): () => Promise<void> {
  return async () => {
    const hasTime = timeLeft(clock, shareMs);
    const since = new Date(clock.now().getTime() - sinceMs);
    for (const row of await subscriptions.unreleased(since, rowsARound)) {
      if (!hasTime()) return;
      await upstream.release(row);
    }
  };
}
