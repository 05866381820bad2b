import type { PostedEvent, WaitingEvent } from '../../store/tables/events.ts';
import * as events from '../../store/tables/events.ts';
import * as items from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { presentChanges } from '../access/present-changes.ts';
import type { Bot } from '../bot.ts';
import type { ShownEvent } from '../channels/exclude.ts';
import type { Change } from '../model/change.ts';
import { parentKey } from '../model/items.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';
import { type Within, whatChanged } from './what-changed.ts';

/**
 * Returns the changes that a message shows, in the same order and words. What was remembered of the items at that time is gone; the words
 * derived from it are stored with each event.
 */
export async function recallChanges(
  bot: Bot,
  lane: Channel,
  events: readonly PostedEvent[],
  { linked = true } = {},
): Promise<Change[]> {
  const keys = events.map(({ notification }) => parentKey(notification));
  const known = await items.load(bot.db, lane, keys);
  const changes = events.map((event) => ({
    ...recalledChange(event, withinOf(event.notification, event.subscription, known)),
    eventId: event.seq,
  }));
  return presentChanges(bot, lane, changes, { linked });
}

/** Returns the change as the event was posted. For an event that was not posted nothing else is stored, so an update is only "updated". */
export function recalledChange(
  { notification, postedAs, receivedAt }: Pick<WaitingEvent, 'notification' | 'postedAs' | 'receivedAt'>,
  within: Within | null,
): Change {
  const change = { ...timed(whatChanged(notification, null, within), receivedAt), ...postedAs };
  // Older releases had another verb for an update of a file that they knew.
  return { ...change, verb: (change.verb as string) === 'new version' ? 'updated' : change.verb };
}

/** Returns the project or session of an event, with its last known name. */
export function withinOf(
  notification: Notification,
  { parentName }: Pick<Subscription, 'parentName'>,
  known: ReadonlyMap<string, items.KnownItem>,
): Within | null {
  const name = known.get(parentKey(notification))?.name ?? parentName;
  if (notification.projectId !== null) return { kind: 'project', id: notification.projectId, name };
  if (notification.sessionId !== null) return { kind: 'session', id: notification.sessionId, name };
  return null;
}

/** Returns the change with the time of arrival if the service sent no readable time. */
export function timed(change: Change, receivedAt: Date): Change {
  return Number.isNaN(change.happenedAt.getTime()) ? { ...change, happenedAt: receivedAt } : change;
}

/** Returns an event of the channel, with its change as shown there; null if its details are no longer stored. */
export async function shownEvent(
  bot: Bot,
  context: CommandContext,
  eventId: string,
): Promise<ShownEvent | null> {
  const event = await events.byNumber(bot.db, channelOf(context), eventId);
  const [change] = event ? await recallChanges(bot, channelOf(context), [event]) : [];
  return event && change ? { event, change, isGone: await events.isDeleted(bot.db, event) } : null;
}

/** Returns the subscription of an event in the channel; null if the event no longer exists. */
export const subscriptionIdOf = (
  { db }: Bot,
  context: CommandContext,
  eventId: string,
): Promise<string | null> => events.subscriptionIdOf(db, channelOf(context), eventId);
