import { dayMs, earlier } from '../../lib/durations.ts';
import type { Items } from '../../store/tables/items.ts';
import type { Clock } from '../model/clock.ts';

export type TidyItemsDeps = {
  readonly clock: Clock;
  readonly items: Pick<Items, 'removeUnfollowed'>;
  /** Items that one statement looks at, so that none takes long; 5,000 by default. */
  readonly batch?: number | undefined;
};

/** Thirteen months: what happens once a year is still recognized. */
const keptDays = 396;
/** A person who has just unsubscribed may undo it. */
const undoDays = 1;

/** Forgets names and paths of items that nobody follows any more, or that nothing was heard of for 13 months. */
export function makeTidyItems({ clock, items, batch = 5_000 }: TidyItemsDeps): () => Promise<void> {
  return async () => {
    const ago = (days: number) => earlier(clock.now(), days * dayMs);
    const ends = { heardSince: ago(keptDays), followedSince: ago(undoDays) };
    let last = await items.removeUnfollowed(null, ends, batch);
    while (last !== null) last = await items.removeUnfollowed(last, ends, batch);
  };
}
