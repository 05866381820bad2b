import { dayMs, earlier } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import { makeOneAtATime } from '../../lib/one-at-a-time.ts';
import { timeLeft } from '../../lib/time-left.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type ReleaseEndedDeps = Pick<UpstreamRoomDeps, 'clock' | 'subscriptions' | 'log'> & {
  readonly upstream: Pick<Upstream, 'release'>;
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
        if (hasTime()) await upstream.release(row, { unlessResting: true });
      },
      (error, row) =>
        log.warn({ err: error, ...subscriptionFields(row) }, 'could not release a subscription'),
    );
  };
}

/**
 * Makes a function that starts removing them right after they ended, without waiting. One run takes whatever has ended by its start, so
 * the end of a project that a thousand channels follow starts few. `settled`: settles once none is running.
 */
export function makeReleaseSoon({
  releaseEnded,
  log,
}: {
  readonly releaseEnded: () => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
}) {
  const oneAtATime = makeOneAtATime();
  let isDue = false;
  let last: Promise<void> = Promise.resolve();

  return {
    releaseSoon(): void {
      if (isDue) return;
      isDue = true;
      last = oneAtATime('release', () => {
        isDue = false;
        return releaseEnded();
      }).catch((error: unknown) => log.warn({ err: error }, 'could not release what has ended'));
    },
    settled: () => last,
  };
}
