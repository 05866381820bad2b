import { dayMs, earlier } from '../../lib/durations.ts';
import * as items from '../../store/tables/items.ts';
import type { Bot } from '../bot.ts';

/** Thirteen months, so items that change once a year are still recognized. */
const keptDays = 396;
/** How many days items are kept after the last subscription ended, because that can be undone. */
const undoDays = 1;
/** Items per statement, so none takes long. */
const batchItems = 5_000;

/** Removes names and paths of items that nobody follows any more, or that had no event for 13 months. */
export async function tidyItems({ db, clock }: Pick<Bot, 'db' | 'clock'>, batch = batchItems): Promise<void> {
  const ago = (days: number) => earlier(clock.now(), days * dayMs);
  const ends = { heardSince: ago(keptDays), followedSince: ago(undoDays) };
  let last = await items.removeUnfollowed(db, null, ends, batch);
  while (last !== null) last = await items.removeUnfollowed(db, last, ends, batch);
}
