import { earlier, hourMs, minuteMs } from '../../lib/durations.ts';
import type { Events } from '../../store/tables/events.ts';
import type { Clock } from '../model/clock.ts';
import type { Channel } from '../model/people.ts';

type ReleaseLateDeps = {
  readonly clock: Clock;
  readonly events: Pick<Events, 'releaseLate'>;
  readonly enqueue: (lane: Channel) => Promise<void>;
};

/** Longer than resuming takes. */
const resumedForMs = minuteMs;
const lookedBackMs = hourMs;

/**
 * Releases events that were stored as held for a pause just as that pause ended: the statement that stored them saw the subscription as it
 * was when the statement began. Runs every minute.
 */
export function makeReleaseLate({ clock, events, enqueue }: ReleaseLateDeps): () => Promise<void> {
  return async () => {
    const now = clock.now();
    const changed = { since: earlier(now, lookedBackMs), before: earlier(now, resumedForMs) };
    for (const lane of await events.releaseLate(changed)) await enqueue(lane);
  };
}
