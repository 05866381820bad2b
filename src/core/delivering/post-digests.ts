import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Clock } from '../model/clock.ts';
import { lastDigestHour } from '../model/digest-hours.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { type Channel, channelKey } from '../model/people.ts';

type PostDigestsDeps = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'heldForDigest' | 'releaseHeld'>;
  readonly enqueue: (lane: Channel) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
};

/**
 * Releases digests that have become due since their oldest event arrived. Those of one channel are released together, so that they are one
 * message. Runs every minute.
 */
export function makePostDigests({ clock, events, enqueue, log }: PostDigestsDeps): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const due: Subscription[] = [];
    await forEachRow(
      await events.heldForDigest(),
      async (held) => {
        if (isDue(held, now)) due.push(held.subscription);
      },
      (error, { subscription }) => noteFailure(error, [subscription]),
    );
    const ofChannels = Map.groupBy(due, channelKey);
    await forEachRow(ofChannels.values(), release, noteFailure);
  };

  async function release(due: readonly Subscription[]): Promise<void> {
    const [lane] = due;
    if (!lane) return;
    const ids = due.map(({ id }) => id);
    if ((await events.releaseHeld(lane, 'digest', ids)) > 0) await enqueue(lane);
  }

  function noteFailure(error: unknown, subscriptions: readonly Subscription[]): void {
    for (const row of subscriptions)
      log.warn({ err: error, ...subscriptionFields(row) }, 'could not release a digest');
  }
}

function isDue({ subscription, oldest }: HeldForDigest, now: Date): boolean {
  // A pause holds digests too: they are posted at the first digest time after it.
  if (subscription.state === 'paused') return false;
  const due = lastDigestHour(subscription.delivery, now);
  // Events held for a digest are released at once if the subscription has since been switched to live delivery.
  return due === null || oldest < due;
}

type HeldForDigest = Awaited<ReturnType<Events['heldForDigest']>>[number];
