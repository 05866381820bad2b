import { timeLeft } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import * as followed from '../../store/tables/fed-subscriptions.ts';
import * as links from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { gridId, ownerOf } from '../model/people.ts';
import { serviceFailure } from '../model/service-error.ts';
import { checkLink } from './check-link.ts';
import { place } from './sync.ts';

const rowsARound = 500;
const shareMs = 20_000;
const betweenTurnsMs = 1_000;

/**
 * Gives remote subscriptions of their own, one a second a person, to what people followed under an earlier release, which fed them from a
 * channel's subscription. A person without a link is notified in their direct message that it waits for one. Runs every minute; can go one
 * release later, with `fed-subscriptions.ts`.
 */
export async function ownFollowed(bot: Bot, sleep: (milliseconds: number) => Promise<void>): Promise<void> {
  const hasTime = timeLeft(bot.clock, shareMs);
  const rows = await followed.fed(bot.db, rowsARound);
  if (rows.length === 0) return;
  const people = [...Map.groupBy(rows, (row) => `${gridId(row)} ${row.ownerUserId}`).values()];
  const turns = Math.max(...people.map(({ length }) => length));
  for (let turn = 0; turn < turns && hasTime(); turn += 1) {
    if (turn > 0) await sleep(betweenTurnsMs);
    await forEachRow(
      people.flatMap((theirs) => theirs[turn] ?? []),
      async (row) => hasTime() && own(bot, row),
      (error, row) =>
        bot.log.warn(
          { err: error, ...subscriptionFields(row) },
          'could not make a followed item the person’s own',
        ),
    );
  }
}

async function own(bot: Bot, row: Subscription): Promise<void> {
  const { db } = bot;
  const link = await links.of(db, ownerOf(row));
  if (link === null) return followed.forgetSource(db, row.id);
  if (await links.isResting(db, link.id, bot.clock.now())) return;
  if (link.state === 'active' && (await isSettled(bot, row, link.id))) return;
  await followed.forgetSource(db, row.id);
  // It pauses or ends what the service refuses, and says so.
  bot.later.run(() => checkLink(bot, link.id), 'could not check a link');
}

/** Returns whether it has its remote subscription, or the next round tries again. */
async function isSettled(bot: Bot, row: Subscription, linkId: string): Promise<boolean> {
  const { comprehensive } = row;
  const store = ({ db, clock }: Bot) => followed.becomeOwn(db, row.id, clock.now());
  const wanted = { linkId, comprehensive, keepsPause: true, store };
  try {
    return (await place(bot, row, wanted)) !== 'relink';
  } catch (error) {
    const failure = serviceFailure(error);
    if (failure === null) throw error;
    return failure.kind === 'unavailable' || failure.kind === 'rate-limited';
  }
}
