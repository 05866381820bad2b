import type { PostedEvent, WaitingEvent } from '../../store/tables/events.ts';
import * as events from '../../store/tables/events.ts';
import * as items from '../../store/tables/items.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { presentChanges } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import type { ShownEvent } from '../channels/exclude.ts';
import type { Change } from '../model/change.ts';
import { isOutsideFollowed } from '../model/filters.ts';
import { itemKey, parentKey } from '../model/items.ts';
import type { Notification } from '../model/notification.ts';
import type { Channel } from '../model/people.ts';
import type { Scope } from '../model/subscription.ts';
import { type Within, whatChanged } from './what-changed.ts';

/** Returns the changes that a message shows, in the same order and words, which are stored with each event. */
export async function recallChanges(
  bot: Bot,
  lane: Channel,
  events: readonly PostedEvent[],
  { linked = true } = {},
): Promise<Change[]> {
  const keys = events.map(({ notification }) => parentKey(notification));
  const known = await items.load(bot.db, lane, keys);
  const changes = events.map((event) => {
    const { notification, subscription, seq } = event;
    const change = recalledChange(event, withinOf(notification, subscription, known));
    return { ...inSight(change, notification, subscription), eventId: seq };
  });
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

/** Returns a change without the place of an item that has left the folder that is followed, since the channel may not see that place. */
export function inSight(change: Change, notification: Notification, scope: Scope): Change {
  return isOutsideFollowed(scope, notification, null) ? { ...change, folder: null } : change;
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

/** Returns which of those events lie outside of what their subscription follows: of those that wait, nothing else says so before their turn. */
export async function outsideAmong(
  db: Bot['db'],
  channel: Channel,
  some: readonly Pick<PostedEvent, 'seq' | 'notification' | 'subscription'>[],
): Promise<ReadonlySet<string>> {
  const keyOf = (notification: Notification) => itemKey(notification) ?? '';
  const keys = some.map(({ notification }) => keyOf(notification));
  const known = await items.load(db, channel, keys);
  const outside = some.filter(({ notification, subscription }) =>
    isOutsideFollowed(subscription, notification, known.get(keyOf(notification))?.idPath ?? null),
  );
  return new Set(outside.map(({ seq }) => seq));
}

/** Returns an event of the channel, with its change as shown there; null if its details are gone, or the channel may not see them. */
export async function shownEvent(
  bot: Bot,
  context: CommandContext,
  eventId: string,
): Promise<ShownEvent | null> {
  const channel = channelOf(context);
  const event = await events.byNumber(bot.db, channel, eventId);
  if (!event || (event.state === 'pending' && (await outsideAmong(bot.db, channel, [event])).size > 0))
    return null;
  const [change] = await recallChanges(bot, channel, [event]);
  return change ? { event, change, isGone: await events.isDeleted(bot.db, event) } : null;
}
