import { earlier, hourMs } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import {
  channelClosed,
  channelResumed,
  subscriptionResumed,
  subscriptionsWaiting,
} from '../../messages/subscribing/announcements.ts';
import type { Message } from '../../messages/text/message.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as announcements from '../../store/tables/announcements.ts';
import * as events from '../../store/tables/events.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { namesOf } from '../access/people-names.ts';
import { announce, announceTo } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { channelFields, subscriptionFields } from '../model/log-fields.ts';
import { type ChannelReason, isChannelReason, isOwnerReason } from '../model/pause-reason.ts';
import { type Channel, channelKey, isDirect, ownerOf, type SlackPerson } from '../model/people.ts';
import { quietPeriod } from '../model/quiet-hours.ts';
import { type Subscribed, subscribedOf } from '../model/subscription.ts';
import { reopenedSubject, reopenedSubjects, resumedOneSubject } from '../model/summary-lead.ts';
import { usualBotName } from '../slack.ts';

/*
 * What keeps a subscription from posting is stored as facts. Code that learns a fact stores it and settles the channel: settling compares what
 * stands in the way of each subscription with what people were last notified of, holds or releases what waits, and announces the difference.
 * Any process may settle a channel at any time; settling it twice has the effect of settling it once.
 */

/** Names from Slack that an announcement may need. */
type NamesToSettle = {
  /** By user id, of the owners who may have to be named. */
  readonly owners: ReadonlyMap<string, string>;
  readonly bot: string;
};

/** How long a subscription that changed is looked at every minute, in milliseconds. */
const watchedMs = hourMs;
/** How many subscriptions one statement reads when all are. */
const rowsAtATime = 10_000;

/** Settles a channel in one transaction with what changes its facts; `change` must ask neither Slack nor the service. */
export async function settle<Result = void>(
  bot: Bot,
  channel: Channel,
  change: (bot: Bot) => Promise<Result> = async () => undefined as Result,
): Promise<Result> {
  const owners = await obstacles.ownersToName(bot.db, channel);
  const names = {
    owners: await namesOf(bot, channel, owners),
    bot: await bot.slack.botNameOf(channel).catch(() => usualBotName),
  };
  return inTransaction(bot, async (bot) => {
    // Before the change, and so before it locks any subscription: in the order of a turn.
    await lanes.lock(bot.db, channel);
    const result = await change(bot);
    await settleIn(bot, channel, names);
    return result;
  });
}

/** Settles the channels of what a person owns, after their link changed. */
export async function settleOwned(bot: Bot, person: SlackPerson): Promise<void> {
  const rows = await subscriptions.ofOwner(bot.db, person);
  await settleEach(bot, new Map(rows.map((row) => [channelKey(row), row])).values());
}

/** Settles the channels in which a fact changed that nobody reported, or whose mute or quiet hours are over. Runs every minute. */
export async function settleAll(bot: Bot): Promise<void> {
  const now = bot.clock.now();
  await settleEach(bot, await obstacles.differing(bot.db, { now, since: earlier(now, watchedMs) }));
}

/** Settles the channels in which a fact changed at any time that nobody reported. Reads all subscriptions, some at a time. Runs every hour. */
export async function settleEverything(bot: Bot): Promise<void> {
  let after: string | null = null;
  do {
    const { channels, last } = await obstacles.differingAfter(bot.db, after, rowsAtATime);
    await settleEach(bot, channels);
    after = last;
  } while (after !== null);
}

function settleEach(bot: Bot, channels: Iterable<Channel>): Promise<void> {
  return forEachRow(
    channels,
    (channel) => settle(bot, channel),
    (error, channel) =>
      bot.log.warn({ err: error, ...channelFields(channel) }, 'could not settle what a channel gets'),
  );
}

/** Settles a channel in a transaction that has locked its lane. Whom `names` does not name is left to `settleAll`. */
export async function settleIn(
  bot: Bot,
  channel: Channel,
  names: NamesToSettle = { owners: new Map(), bot: usualBotName },
): Promise<void> {
  const { db, clock, log } = bot;
  const now = clock.now();
  await passTime(db, channel, now);
  const changed = await obstacles.compare(db, channel, { named: [...names.owners.keys()], now });
  for (const row of changed) {
    if (row.notified !== null || row.reason !== null) {
      const what = row.reason === null ? 'resumed' : 'paused';
      log.info({ ...subscriptionFields(row), reason: row.reason ?? row.notified }, what);
    }
  }
  const released = await events.settle(db, channel, now);
  const withdrawn = changed.some(({ reason }) => isChannelReason(reason))
    ? await announcements.withdraw(db, channel, reopenedSubjects)
    : [];
  await announceWaiting(bot, channel, changed, names);
  await announceResumed(bot, channel, changed);
  if (released.size > 0) await signalLanes(db, [channel]);
  const closed = changed.flatMap((row) => {
    const { notified, reason } = row;
    // They were notified of another closed channel; of a workspace that was closed as a whole they could not be.
    const isKnown = isChannelReason(notified) && notified !== 'workspace access';
    // It was open in between, but nobody has read that.
    const isAgain = isChannelReason(reason) && withdrawn.includes(reopenedSubject(new Set([reason])));
    return isChannelReason(reason) && !isKnown && !isAgain ? [{ ...row, reason }] : [];
  });
  for (const [reason, rows] of Map.groupBy(closed, ({ reason }) => reason))
    await informOwners(bot, rows, { reason, botName: names.bot });
}

/** Ends a mute that is over, and goes on to the next stretch of quiet hours. */
async function passTime(db: Bot['db'], channel: Channel, now: Date): Promise<void> {
  await lanes.endMute(db, channel, now);
  const { quiet = null, quietUntil = null } = (await lanes.find(db, channel)) ?? {};
  if (quiet && quietUntil && quietUntil <= now)
    await lanes.setQuiet(db, channel, { hours: quiet, ...quietPeriod(quiet, now) });
}

/** Announces the subscriptions that wait for their owners, with one message for each owner and reason. */
async function announceWaiting(
  bot: Bot,
  channel: Channel,
  changed: readonly obstacles.Differing[],
  names: NamesToSettle,
): Promise<void> {
  const waiting = changed.filter(({ reason }) => isOwnerReason(reason));
  const groups = Map.groupBy(waiting, ({ ownerUserId, reason }) => `${ownerUserId} ${reason}`);
  for (const rows of groups.values()) {
    const [{ ownerUserId: userId = '', reason = null } = {}] = rows;
    if (!isOwnerReason(reason)) continue;
    const name = names.owners.get(userId) ?? userId;
    const pause = { reason, owner: { userId, name, isReader: isDirect(channel.channelId) } };
    const listed = rows.map((row) => ({ id: row.id, subscribed: subscribedOf(row) }));
    await announce(bot, channel, subscriptionsWaiting(listed, pause, bot.config.copy));
  }
}

/**
 * Announces the subscriptions in whose way nothing stands any more, before what waited. None says that nothing changed if anything of the
 * channel waits: the summary may be in the same message, or come when a mute ends.
 */
async function announceResumed(
  bot: Bot,
  channel: Channel,
  changed: readonly obstacles.Differing[],
): Promise<void> {
  const resumed = changed.filter(({ reason }) => reason === null);
  if (resumed.length === 0) return;
  const held = await events.countHeld(bot.db, channel);
  for (const row of resumed.filter(({ notified }) => isOwnerReason(notified))) {
    const missed = row.wasLost ? null : held;
    await announce(bot, channel, subscriptionResumed(subscribedOf(row), missed), resumedOneSubject(row.id));
  }
  const reopened = resumed.filter(({ notified }) => isChannelReason(notified));
  if (reopened.length === 0) return;
  const missed = reopened.some(({ wasLost }) => wasLost) ? null : held;
  const subject = reopenedSubject(new Set(reopened.map(({ notified }) => notified)));
  await announce(bot, channel, channelResumed(reopened.map(subscribedOf), missed), subject);
}

/** Notifies each owner once that a channel is closed, however many of theirs are paused. */
async function informOwners(
  bot: Bot,
  closed: readonly Subscription[],
  { reason, botName }: { readonly reason: ChannelReason; readonly botName: string },
): Promise<void> {
  // Nobody can be reached in a workspace that is closed as a whole, nor in direct messages that are.
  if (reason === 'workspace access') return;
  const reachable = closed.filter(({ channelId }) => !isDirect(channelId));
  await informEachOwner(bot, reachable, ({ channelId }, subscribed) =>
    channelClosed({ channelId, subscribed, reason, botName, copy: bot.config.copy }),
  );
}

/** Stores one direct message to each owner of a channel's subscriptions. `draw` makes it from a row of theirs and what all their rows follow. */
export async function informEachOwner(
  bot: Bot,
  subscriptions: readonly Subscription[],
  draw: (row: Subscription, subscribed: Subscribed[]) => Message,
): Promise<void> {
  // In one order, as two transactions may make the lanes of the same people.
  const rows = subscriptions.toSorted((a, b) => (a.ownerUserId < b.ownerUserId ? -1 : 1));
  for (const own of Map.groupBy(rows, ({ ownerUserId }) => ownerUserId).values()) {
    const [row] = own;
    if (row) await announceTo(bot, ownerOf(row), draw(row, own.map(subscribedOf)));
  }
}
