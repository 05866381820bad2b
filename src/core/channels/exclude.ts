import { actorOf } from '../../messages/activity/deeds.ts';
import { alreadySo } from '../../messages/subscribing/answers.ts';
import {
  cannotExclude,
  type ExcludedThing,
  exclusionChanged,
  itemDeleted,
  tooManyExclusions,
} from '../../messages/subscribing/exclusions.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { emailsOf } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { nameExcluded } from '../home/lists.ts';
import type { Change } from '../model/change.ts';
import { type Exclusion, type ExclusionSubject, mostExclusions } from '../model/filters.ts';
import { itemKey } from '../model/items.ts';
import { act } from './act.ts';

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
  const own = await emailsOf(bot, context.person, context.person.userId);
  const isSelf = own?.includes(key) ?? false;
  await exclude(bot, context, { kind: 'person', key }, { kind: 'person', name: actorOf(change), isSelf });
}

/** Resumes posting what was muted or hidden. */
export async function showAgain(bot: Bot, context: CommandContext, row: Exclusion): Promise<void> {
  const thing = await nameExcluded(bot, row, row.subject);
  await act(bot, context, async ({ db, clock }, by) => {
    if (!(await exclusions.end(db, row.id, clock.now()))) return { reply: alreadySo };
    const announcement = exclusionChanged({ by, thing, isMuted: false, value: row.id });
    return { announcement, audit: 'show again', changed: [row.id] };
  });
}

function exclude(
  bot: Bot,
  context: CommandContext,
  subject: ExclusionSubject,
  thing: ExcludedThing,
): Promise<void> {
  const channel = channelOf(context);
  return act(bot, context, async ({ db, clock }, by) => {
    if ((await exclusions.countIn(db, channel)) >= mostExclusions)
      return { reply: tooManyExclusions(mostExclusions) };
    const row = await exclusions.add(db, channel, subject, { byUserId: by.userId, now: clock.now() });
    if (row === null) return { reply: alreadySo };
    const announcement = exclusionChanged({ by, thing, isMuted: true, value: row.id });
    const audit = subject.kind === 'item' ? 'mute item' : 'skip person';
    return { announcement, audit, changed: [row.id] };
  });
}
