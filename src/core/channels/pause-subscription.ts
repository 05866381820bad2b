import {
  subscriptionPausedBy,
  subscriptionResumed,
  subscriptionsPausedBy,
} from '../../messages/subscribing/announcements.ts';
import { alreadySo, beingReplaced } from '../../messages/subscribing/answers.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { inTransaction } from '../in-transaction.ts';
import { commandLine } from '../model/commands.ts';
import { isPausedByPerson, pausedByPerson } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import { leaveToOthers } from './leave-to-others.ts';

// One subscription of a channel is paused while others keep posting. Its events are held, and posted in one summary afterwards.

/** Pauses an active subscription. Rows paused for other reasons are refused: those pauses end with their own causes. */
export async function pause(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const subscribed = subscribedOf(row);
  const who = await whoActs(context, bot.slack.profileOf, row.ownerUserId);
  const isPaused = await inTransaction(bot, async (bot) => {
    if (row.state !== 'active') return false;
    const rows = await subscriptions.pause(bot.db, [row.id], pausedByPerson, bot.clock.now());
    if (rows.length === 0) return false;
    await announce(bot, row, subscriptionPausedBy(who, subscribed, row.id));
    await writeAudit(bot, context, 'pause subscription', row.id);
    return true;
  });
  if (!isPaused) return context.reply(alreadySo({ subscribed, paused: true }));
  await refreshHome(bot, context.person);
}

/** Pauses the active ones among several subscriptions of one channel, with one announcement. */
export async function pauseSeveral(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
): Promise<void> {
  const working = rows.filter(({ state }) => state === 'active');
  const [first] = working;
  if (first === undefined) return;
  const ids = working.map(({ id }) => id);
  const who = await whoActs(context, bot.slack.profileOf, first.ownerUserId);
  const typed = isDirect(first.channelId) ? 'subscriptions to me' : 'subscriptions';
  const line = commandLine(typed, context.copy.commands);
  await inTransaction(bot, async (bot) => {
    const done = await subscriptions.pause(bot.db, ids, pausedByPerson, bot.clock.now());
    const [only] = done;
    if (only === undefined) return;
    const announcement =
      done.length === 1
        ? subscriptionPausedBy(who, subscribedOf(only), only.id)
        : subscriptionsPausedBy(who, done.map(subscribedOf), line);
    await announce(bot, first, announcement);
    for (const { id } of done) await writeAudit(bot, context, 'pause subscription', id);
  });
}

/** Resumes a subscription, and posts its held events. If its owner has unlinked, announces that another member can take it over. */
export async function resume(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const subscribed = subscribedOf(row);
  if (!isPausedByPerson(row)) return context.reply(alreadySo({ subscribed, paused: false }));
  const who = await whoActs(context, bot.slack.profileOf, row.ownerUserId);
  const leave = await leaveToOthers(bot, row, ({ id }) => id === row.id);
  const resumed = await inTransaction(bot, async (bot) => {
    if ((await leave(bot)).length > 0) return null;
    const rows = await subscriptions.resume(bot.db, [row.id], bot.clock.now(), pausedByPerson);
    if (rows.length === 0) return rows;
    const waited = await events.releaseHeld(bot.db, row, 'paused', [row.id]);
    const missed = row.health?.lostInPause ? null : waited;
    await announce(bot, row, subscriptionResumed(subscribed, missed, who), resumedOneSubject(row.id));
    await writeAudit(bot, context, 'resume subscription', row.id);
    return rows;
  });
  // Another person was quicker, or its remote subscription is being replaced.
  if (resumed?.length === 0) return context.reply(beingReplaced(subscribed));
  await refreshHome(bot, context.person);
}
