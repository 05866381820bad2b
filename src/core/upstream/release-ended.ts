import { dayMs, earlier } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import { timeLeft } from '../../lib/time-left.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import type { Upstream } from './upstream.ts';

export type ReleaseEndedDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'unreleased'>;
  readonly upstream: Pick<Upstream, 'release'>;
  readonly log: Pick<Log, 'warn'>;
};

/** The hourly check handles older ones. */
const sinceMs = dayMs;
const shareMs = 20_000;
const rowsARound = 200;

/** Removes the remote subscriptions of ended subscriptions if that failed when they ended. Runs every minute. */
export function makeReleaseEnded({
  clock,
  subscriptions,
  upstream,
  log,
}: ReleaseEndedDeps): () => Promise<void> {
  return async () => {
    const hasTime = timeLeft(clock, shareMs);
    const since = earlier(clock.now(), sinceMs);
    await forEachRow(
      await subscriptions.unreleased(since, rowsARound),
      async (row) => {
        if (hasTime()) await upstream.release(row);
      },
      (error, { id }) => log.warn({ err: error, subscription: id }, 'could not release a subscription'),
    );
  };
}
