import { actorOf } from '../../messages/activity/deeds.ts';
import {
  cannotExclude,
  type ExcludedThing,
  exclusionChanged,
  exclusionUnchanged,
  itemDeleted,
  tooManyExclusions,
} from '../../messages/subscribing/exclusions.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoActs } from '../access/who-acts.ts';
import { writeAudit } from '../access/write-audit.ts';
import { announce } from '../announce.ts';
import type { Bot } from '../bot.ts';
import { nameExcluded } from '../home/list-exclusions.ts';
import { refreshHome } from '../home/show-home.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Change } from '../model/change.ts';
import { type Exclusion, type ExclusionSubject, mostExclusions } from '../model/exclusion.ts';
import { itemKey } from '../model/item-keys.ts';
import { replyIfClosed } from './reply-if-closed.ts';

/** An event that a message shows, and the change as people in the channel see it. `isGone`: its item was deleted, then or later. */
export type ShownEvent = {
  readonly event: PostedEvent;
  readonly change: Change;
  readonly isGone: boolean;
};

// Muting single items and people in a channel: their events are filtered, not held for later.

/** Stops posting changes of the event's item, and of everything in it, in this channel. */
export async function muteItem(
  bot: Bot,
  context: CommandContext,
  { event, change, isGone }: ShownEvent,
): Promise<void> {
  if (isGone) return context.reply(itemDeleted);
  const key = itemKey(event.notification);
  if (key === null) return context.reply(cannotExclude('item'));
  const { kind: itemKind, name, folder } = change;
  const subject = { kind: 'item', key, itemKind, name, folder } as const;
  await exclude(bot, context, subject, subject);
}

/** Stops posting changes by the person behind an event in this channel. */
export async function skipPerson(bot: Bot, context: CommandContext, { change }: ShownEvent): Promise<void> {
  const key = change.actorEmail?.toLowerCase();
  if (key === undefined) return context.reply(cannotExclude('person'));
  await exclude(bot, context, { kind: 'person', key }, { kind: 'person', name: actorOf(change) });
}

/** Resumes posting what was muted or hidden. */
export async function showAgain(bot: Bot, context: CommandContext, row: Exclusion): Promise<void> {
  const by = await whoActs(context, bot.slack.profileOf);
  const thing = await nameExcluded(bot, row, row.subject);
  const isNew = await inTransaction(bot, async (bot) => {
    if (!(await exclusions.end(bot.db, row.id, bot.clock.now()))) return false;
    await announce(bot, row, exclusionChanged({ by, thing, isMuted: false, value: row.id }));
    await writeAudit(bot, context, 'show again', row.id);
    return true;
  });
  if (!isNew) return context.reply(exclusionUnchanged({ thing, isMuted: false }));
  await refreshHome(bot, context.person);
}

async function exclude(
  bot: Bot,
  context: CommandContext,
  subject: ExclusionSubject,
  thing: ExcludedThing,
): Promise<void> {
  const channel = channelOf(context);
  const by = await whoActs(context, bot.slack.profileOf);
  if ((await exclusions.countIn(bot.db, channel)) >= mostExclusions) {
    return context.reply(tooManyExclusions(mostExclusions));
  }
  const added = await inTransaction(bot, async (bot) => {
    const now = bot.clock.now();
    const row = await exclusions.add(bot.db, channel, subject, { byUserId: by.userId, now });
    if (row === null) return null;
    const announcement = exclusionChanged({ by, thing, isMuted: true, value: row.id });
    await announce(bot, channel, announcement);
    await writeAudit(bot, context, subject.kind === 'item' ? 'mute item' : 'skip person', row.id);
    return announcement;
  });
  if (added === null) return context.reply(exclusionUnchanged({ thing, isMuted: true }));
  await replyIfClosed(bot, context, added);
  await refreshHome(bot, context.person);
}
