import { forEachRow } from '../../lib/for-each-row.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Bot } from '../bot.ts';
import { lastDigestHour } from '../model/digest-hours.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { type Channel, channelKey } from '../model/people.ts';

/**
 * Releases digests that have become due since their oldest event arrived, in one channel or in all. Those of one channel are released together,
 * so that they are one message. Runs every minute.
 */
export async function postDigests(bot: Bot, lane: Channel | null = null): Promise<void> {
  const now = bot.clock.now();
  const due: Subscription[] = [];
  const failed = (error: unknown, rows: readonly Subscription[]) => {
    for (const row of rows)
      bot.log.warn({ err: error, ...subscriptionFields(row) }, 'could not release a digest');
  };
  await forEachRow(
    await events.heldForDigest(bot.db, lane),
    async (held) => {
      if (isDue(held, now)) due.push(held.subscription);
    },
    (error, { subscription }) => failed(error, [subscription]),
  );
  await forEachRow(Map.groupBy(due, channelKey).values(), (rows) => release(bot, rows), failed);
}

async function release({ db }: Bot, due: readonly Subscription[]): Promise<void> {
  const [lane] = due;
  if (!lane) return;
  const ids = due.map(({ id }) => id);
  if ((await events.releaseDigest(db, lane, ids)) > 0) await signalLanes(db, [lane]);
}

function isDue({ subscription, oldest }: HeldForDigest, now: Date): boolean {
  // A pause holds digests too: they are posted at the first digest time after it.
  if (subscription.state === 'paused') return false;
  const due = lastDigestHour(subscription.delivery, now);
  // Events held for a digest are released at once if the subscription has since been switched to live delivery.
  return due === null || oldest < due;
}

type HeldForDigest = Awaited<ReturnType<typeof events.heldForDigest>>[number];
