import type { Events } from '../store/events.ts';
import type { Clock } from './clock.ts';
import { lastDigestHour } from './digest-hours.ts';
import type { Channel } from './people.ts';

export type PostDigestsDeps = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'heldForDigest' | 'letGo'>;
  readonly enqueue: (lane: Channel) => Promise<void>;
};

/** Lets digests go whose hour has come since their oldest event arrived. Run each minute. */
export function makePostDigests({ clock, events, enqueue }: PostDigestsDeps): () => Promise<void> {
  return async () => {
    const now = clock.now();
    for (const { subscription, oldest } of await events.heldForDigest()) {
      // A pause holds digests too: they come at the first hour after it.
      if (subscription.state === 'paused') continue;
      const due = lastDigestHour(subscription.delivery, now);
      // What was held for a digest and is to be posted as it happens by now, goes at once.
      if (due !== null && oldest >= due) continue;
      if ((await events.letGo(subscription, 'digest', [subscription.id])) > 0) await enqueue(subscription);
    }
  };
}
