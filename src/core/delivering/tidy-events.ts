import { dayMs, earlier } from '../../lib/durations.ts';
import { eachStep } from '../../lib/each-step.ts';
import type { Log } from '../../lib/log.ts';
import type { Db } from '../../store/sql.ts';
import * as audit from '../../store/tables/audit.ts';
import * as events from '../../store/tables/events.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { mostDetailsDays } from '../model/settings.ts';

/** Within nine days, pending events are posted or counted as too old. Until then they are kept, however short the retention. */
const waitingDays = 10;
/** How long the callback of a removed subscription keeps answering that it is gone. The audit log goes back at least as far. */
const endedDays = 30;

/** How many days is kept what is outside a followed folder or file: it can be most of what arrives. */
const outsideDays = 1;
/** Rows per statement, so none holds its locks for long. */
const batchRows = 5_000;

/** Removes old data: first details, then whole events, then rows that nothing refers to any more. */
export async function tidyEvents({ db, clock, config, log }: TidiedBot, batch = batchRows): Promise<void> {
  const now = clock.now();
  const ago = (days: number) => earlier(now, days * dayMs);
  const { retentionDays } = config;
  const keptSince = ago(retentionDays);
  const waitingSince = ago(Math.max(retentionDays, waitingDays));
  const auditedSince = ago(Math.max(retentionDays, endedDays));
  const steps = {
    'remove outside': () => allOf(batch, (limit) => events.removeOutside(db, ago(outsideDays), limit)),
    'forget details': () => allOf(batch, (limit) => events.forgetDetails(db, ago(mostDetailsDays), limit)),
    'remove events': () => removeOldEvents(db, keptSince, waitingSince, batch),
    'remove subscriptions': () =>
      allOf(batch, (limit) => subscriptions.removeEnded(db, ago(endedDays), limit)),
    'remove audit': () => allOf(batch, (limit) => audit.removeOld(db, auditedSince, limit)),
  };
  await eachStep(steps, { log });
}

type TidiedBot = Pick<Bot, 'db' | 'clock'> & {
  readonly log: Log;
  readonly config: Pick<Bot['config'], 'retentionDays'>;
};

/** Removes from the oldest on, up to the first batch that contains nothing old. */
async function removeOldEvents(db: Db, before: Date, waitingBefore: Date, limit: number): Promise<void> {
  let after: string | null = '0';
  while (after !== null) after = await events.removeOld(db, { before, waitingBefore, after, limit });
}

/** Each batch is committed separately; one that is not full is the last. */
async function allOf(batch: number, take: (limit: number) => Promise<number>): Promise<void> {
  while ((await take(batch)) === batch);
}
