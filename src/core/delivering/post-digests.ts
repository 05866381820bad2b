import { forEachRow } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Clock } from '../model/clock.ts';
import { lastDigestHour } from '../model/digest-hours.ts';
import type { Channel } from '../model/people.ts';

type PostDigestsDeps = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'heldForDigest' | 'releaseHeld'>;
  readonly enqueue: (lane: Channel) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
};

/** Releases digests that have become due since their oldest event arrived. Runs every minute. */
export function makePostDigests({ clock, events, enqueue, log }: PostDigestsDeps): () => Promise<void> {
  return async () => {
    const now = clock.now();
    await forEachRow(
      await events.heldForDigest(),
      (held) => postOne(held, now),
      (error, { subscription: { id, teamId: team, channelId: channel } }) =>
        log.warn({ err: error, subscription: id, team, channel }, 'could not release a digest'),
    );
  };

  async function postOne({ subscription, oldest }: HeldForDigest, now: Date): Promise<void> {
    // A pause holds digests too: they are posted at the first digest time after it.
    if (subscription.state === 'paused') return;
    const due = lastDigestHour(subscription.delivery, now);
    // Events held for a digest are released at once if the subscription has since been switched to live delivery.
    if (due !== null && oldest >= due) return;
    if ((await events.releaseHeld(subscription, 'digest', [subscription.id])) > 0)
      await enqueue(subscription);
  }
}

type HeldForDigest = Awaited<ReturnType<Events['heldForDigest']>>[number];
