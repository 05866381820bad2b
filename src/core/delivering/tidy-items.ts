import { dayMs, earlier } from '../../lib/durations.ts';
import type { Items } from '../../store/tables/items.ts';
import type { Clock } from '../model/clock.ts';

type TidyItemsDeps = {
  readonly clock: Clock;
  readonly items: Pick<Items, 'removeUnfollowed'>;
  /** Items per statement, so none takes long; 5,000 by default. */
  readonly batch?: number | undefined;
};

/** Thirteen months, so items that change once a year are still recognized. */
const keptDays = 396;
/** How many days items are kept after the last subscription ended, because that can be undone. */
const undoDays = 1;

/** Removes names and paths of items that nobody follows any more, or that had no event for 13 months. */
export function makeTidyItems({ clock, items, batch = 5_000 }: TidyItemsDeps): () => Promise<void> {
  return async () => {
    const ago = (days: number) => earlier(clock.now(), days * dayMs);
    const ends = { heardSince: ago(keptDays), followedSince: ago(undoDays) };
    let last = await items.removeUnfollowed(null, ends, batch);
    while (last !== null) last = await items.removeUnfollowed(last, ends, batch);
  };
}
