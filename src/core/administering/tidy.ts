import { dayMs, earlier, hourMs } from '../../lib/durations.ts';
import { eachStep } from '../../lib/for-each-row.ts';
import type { Log } from '../../lib/log.ts';
import * as removeData from '../../store/remove-data.ts';
import { batch, type Db } from '../../store/sql.ts';
import * as audit from '../../store/tables/audit.ts';
import * as commandTries from '../../store/tables/command-tries.ts';
import * as events from '../../store/tables/events.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import * as items from '../../store/tables/items.ts';
import { sweepExpired } from '../../store/tables/keyv-records.ts';
import * as requests from '../../store/tables/requests.ts';
import * as seenRequests from '../../store/tables/seen-requests.ts';
import * as settings from '../../store/tables/settings.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { mostDetailsDays } from '../model/settings.ts';

/** Removes what is stored no longer than needed. */
export function tidy(bot: Bot): Promise<void> {
  const { db, clock, log } = bot;
  const ago = (milliseconds: number) => earlier(clock.now(), milliseconds);
  return eachStep(log, {
    'forget requests': () => seenRequests.forget(db, ago(dayMs)),
    'forget tries': () => commandTries.forget(db, ago(hourMs)),
    'sweep records': () => sweepExpired(db, clock.now()),
    'tidy events': () => tidyEvents(bot),
    'remove ended mutes': () => exclusions.removeEnded(db, ago(dayMs)),
    'remove requests': () => requests.removeOld(db, ago(30 * dayMs), ago(dayMs)),
    'forget details early': () => forgetEarly(bot),
  });
}

/** A workspace can have names, paths and email addresses removed earlier than the default. */
async function forgetEarly({ db, clock }: Bot): Promise<void> {
  for (const { teamId, detailsDays } of await settings.forgettingEarly(db)) {
    await removeData.ofEventsBefore(db, earlier(clock.now(), detailsDays * dayMs), teamId);
  }
}

/** Within nine days, pending events are posted or counted as too old. Until then they are kept, however short the retention. */
const waitingDays = 10;
/** How long the callback of a removed subscription keeps answering that it is gone. */
const endedDays = 30;

/** How many days is kept what is outside a followed folder or file: it can be most of what arrives. */
const outsideDays = 1;
/** Thirteen months, so items that change once a year are still recognized. */
const itemsKeptDays = 396;
/** How many days items are kept after the last subscription ended, because that can be undone. */
const itemsUndoDays = 1;
/** Removes old data: first details, then whole events, then rows that nothing refers to any more. */
export async function tidyEvents({ db, clock, config, log }: TidiedBot): Promise<void> {
  const now = clock.now();
  const ago = (days: number) => earlier(now, days * dayMs);
  const { retentionDays } = config;
  const keptSince = ago(retentionDays);
  const waitingSince = ago(Math.max(retentionDays, waitingDays));
  await eachStep(log, {
    'remove outside': () => events.removeOutside(db, ago(outsideDays)),
    'forget details': () => removeData.ofEventsBefore(db, ago(mostDetailsDays)),
    'remove events': () => removeOldEvents(db, keptSince, waitingSince),
    'remove subscriptions': () => subscriptions.removeEnded(db, ago(endedDays)),
    'remove audit': () => audit.removeOld(db, keptSince),
  });
}

type TidiedBot = Pick<Bot, 'db' | 'clock'> & {
  readonly log: Log;
  readonly config: Pick<Bot['config'], 'retentionDays'>;
};

/** Removes from the oldest on, up to the first batch that contains nothing old. */
async function removeOldEvents(db: Db, before: Date, waitingBefore: Date): Promise<void> {
  let after: string | null = '0';
  while (after !== null) after = await events.removeOld(db, { before, waitingBefore, after, limit: batch });
}

/** Removes names and paths of items that nobody follows any more, or that had no event for 13 months. */
export async function tidyItems({ db, clock }: Pick<Bot, 'db' | 'clock'>, limit = batch): Promise<void> {
  const ago = (days: number) => earlier(clock.now(), days * dayMs);
  const ends = { heardSince: ago(itemsKeptDays), followedSince: ago(itemsUndoDays) };
  let last = await items.removeUnfollowed(db, null, ends, limit);
  while (last !== null) last = await items.removeUnfollowed(db, last, ends, limit);
}
