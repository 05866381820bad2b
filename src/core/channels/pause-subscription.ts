import { subscriptionResumed, subscriptionsPausedBy } from '../../messages/subscribing/announcements.ts';
import { alreadySo, settingUp } from '../../messages/subscribing/answers.ts';
import type { Who } from '../../messages/text/copy.ts';
import * as events from '../../store/tables/events.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import { isOwnerReason, isPausedByPerson } from '../model/pause-reason.ts';
import { isDirect } from '../model/people.ts';
import { subscribedOf } from '../model/subscription.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import { commandLine } from '../model/verbs.ts';
import { type Acted, act } from './act.ts';

/** Pauses the active ones among subscriptions of one channel, with one announcement. Their events are held, and posted in one summary afterwards. */
export async function pause(bot: Bot, context: CommandContext, rows: readonly Subscription[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const change = async ({ db, clock }: Bot, by: Who): Promise<Acted> => {
    const asked = rows.map(({ id }) => id);
    const changed = await obstacles.pause(db, asked, context.person.userId, clock.now());
    const paused = rows.filter(({ id }) => changed.includes(id));
    if (paused.length === 0) return { reply: alreadySo };
    const typed = isDirect(first.channelId) ? 'subscriptions to me' : 'subscriptions';
    const named = paused.map((row) => ({ id: row.id, subscribed: subscribedOf(row) }));
    const announcement = subscriptionsPausedBy(by, named, commandLine(typed, context.copy.commands));
    return { announcement, audit: 'pause subscription', changed };
  };
  await act(bot, context, change, first.ownerUserId);
}

/** Resumes a subscription that a member paused, and posts its held events. If its owner's link keeps it paused, the channel reads that. */
export async function resume(bot: Bot, context: CommandContext, row: Subscription): Promise<void> {
  const subscribed = subscribedOf(row);
  if (!isPausedByPerson(row)) return context.reply(alreadySo);
  const change = async ({ db, clock }: Bot, by: Who): Promise<Acted> => {
    const left = await obstacles.resume(db, row.id, clock.now());
    // Another person was quicker, or its remote subscription is being replaced.
    if (left === 'not resumed') return { reply: settingUp(subscribed) };
    const audit = 'resume subscription';
    if (isOwnerReason(left)) return { announcement: null, audit, changed: [] };
    const missed = row.health?.lostInPause ? null : await events.countHeld(db, row, row.id);
    const announcement = subscriptionResumed(subscribed, missed, by);
    return { announcement, about: resumedOneSubject(row.id), audit, changed: [row.id] };
  };
  await act(bot, context, change, row.ownerUserId);
}
