import {
  subscriptionPausedBy,
  subscriptionResumed,
  subscriptionsPausedBy,
} from '../../messages/subscribing/announcements.ts';
import { alreadySo, beingReplaced } from '../../messages/subscribing/answers.ts';
import * as events from '../../store/tables/events.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { refreshHome } from '../home/show-home.ts';
import { commandLine } from '../model/commands.ts';
import { isOwnerReason, isPausedByPerson } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import { settle } from '../settling/settle.ts';

/** Pauses a subscription while others of its channel keep posting. Its events are held, and posted in one summary afterwards. */
export async function pause(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const done = await pauseSeveral(bot, context, [row]);
  if (done.length === 0) return context.reply(alreadySo({ subscribed: subscribedOf(row), paused: true }));
  await refreshHome(bot, context.person);
}

/** Pauses the active ones among subscriptions of one channel, with one announcement. Returns their ids. */
export async function pauseSeveral(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
): Promise<readonly string[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { userId } = context.person;
  const who = await whoActs(context, bot.slack.profileOf, first.ownerUserId);
  let done: readonly string[] = [];
  await settle(bot, first, async (bot) => {
    const asked = rows.map(({ id }) => id);
    done = await obstacles.pause(bot.db, asked, userId, bot.clock.now());
    const paused = rows.filter(({ id }) => done.includes(id));
    const [only, ...others] = paused;
    if (only === undefined) return;
    const typed = isDirect(first.channelId) ? 'subscriptions to me' : 'subscriptions';
    const announcement =
      others.length === 0
        ? subscriptionPausedBy(who, subscribedOf(only), only.id)
        : subscriptionsPausedBy(who, paused.map(subscribedOf), commandLine(typed, context.copy.commands));
    await announce(bot, first, announcement);
    for (const { id } of paused) await writeAudit(bot, context, 'pause subscription', id);
  });
  return done;
}

/**
 * Resumes a subscription that a member paused, and posts its held events. If its owner's link keeps it paused, that is what the channel is
 * notified of.
 */
export async function resume(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const subscribed = subscribedOf(row);
  if (!isPausedByPerson(row)) return context.reply(alreadySo({ subscribed, paused: false }));
  const who = await whoActs(context, bot.slack.profileOf, row.ownerUserId);
  let isResumed = false;
  await settle(bot, row, async (bot) => {
    const left = await obstacles.resume(bot.db, row.id, bot.clock.now());
    isResumed = left !== 'not resumed';
    if (left === 'not resumed' || isOwnerReason(left)) return;
    const missed = row.health?.lostInPause ? null : await events.countHeld(bot.db, row, row.id);
    await announce(bot, row, subscriptionResumed(subscribed, missed, who), resumedOneSubject(row.id));
    await writeAudit(bot, context, 'resume subscription', row.id);
  });
  // Another person was quicker, or its remote subscription is being replaced.
  if (!isResumed) return context.reply(beingReplaced(subscribed));
  await refreshHome(bot, context.person);
}
