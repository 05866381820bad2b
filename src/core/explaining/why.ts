import { dayMs, earlier } from '../../lib/durations.ts';
import { whyThisAnnouncement } from '../../messages/admin/audit.ts';
import { lastTimes, notable } from '../../messages/explaining/findings.ts';
import {
  type EndedSubscription,
  type ExplainedSubscription,
  endedShown,
  eventsEach,
  eventsShown,
  type Origin,
  subscriptionsAPage,
  type TracedEvent,
  whyNoEvents,
  whyNotMine,
  whyThisChannel,
  whyThisMessage,
} from '../../messages/explaining/why.ts';
import { rowsOfPage } from '../../messages/subscribing/lists.ts';
import type { Message } from '../../messages/text/message.ts';
import * as audit from '../../store/tables/audit.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Trace, TracedSubscription } from '../../store/tables/traces.ts';
import * as traces from '../../store/tables/traces.ts';
import { auditLinesOf } from '../access/audit.ts';
import { type CommandContext, channelOf } from '../access/command-context.ts';
import { whoOf } from '../access/people-names.ts';
import { namesIn, presentChanges } from '../access/shown-names.ts';
import type { Bot } from '../bot.ts';
import { inSight, outsideAmong, recalledChange } from '../delivering/recall-changes.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { silenceOf } from '../model/quiet-hours.ts';
import { subscribedOf } from '../model/subscription.ts';
import { checkChannel, checkSubscription } from './checks.ts';

/** The message that was asked about. `isMine`: whether the bot posted it. */
type PointedAt = { readonly messageTs: string; readonly isMine: boolean };

/** What the audit log calls a change of a subscription's settings. */
const changeAct = 'change subscription';
/** How long an ended subscription is still listed, in milliseconds. */
const endedSinceMs = 30 * dayMs;

/** Explains why the bot posted a message in this channel. As all answers here, it is private and covers only that channel. */
export async function whyMessage(
  bot: Bot,
  context: CommandContext,
  { messageTs, isMine }: PointedAt,
): Promise<void> {
  const channel = channelOf(context);
  const through = await traces.subscriptionsIn(bot.db, channel, messageTs);
  const sum = sumOf(through);
  if (sum === null) {
    return context.reply(isMine ? await whyAnnounced(bot, channel, messageTs) : whyNotMine);
  }
  const posted = await traces.shown(bot.db, channel, messageTs, eventsShown);
  const rows = through.map(({ subscription }) => subscription);
  const known = { rows: await rowsOf(bot, channel, rows, posted), silence: null };
  await context.reply(
    whyThisMessage({
      ...sum,
      through: through.flatMap(({ subscription: { id }, count }) => {
        const traced = known.rows.get(id);
        return traced ? { ...traced, count } : [];
      }),
      events: await describeTraces(bot, channel, posted, known),
    }),
  );
}

/** Explains an announcement by who did what it announces. */
async function whyAnnounced(bot: Bot, channel: Channel, messageTs: string): Promise<Message> {
  const entries = await audit.announcedBy(bot.db, channel, messageTs);
  const lines = await auditLinesOf(bot, channel, entries);
  return lines.length === 0 ? whyNoEvents(bot.config.retentionDays) : whyThisAnnouncement(lines);
}

/** Lists the outcomes of the last events of the channel's subscriptions, or of `only` one. `page` takes the place of the one that was shown. */
export async function whyChannel(
  bot: Bot,
  context: CommandContext,
  { page: wanted, only }: { readonly page?: number; readonly only?: string } = {},
): Promise<void> {
  const channel = channelOf(context);
  const [all, check] = await Promise.all([
    subscriptions.ofChannel(bot.db, channel),
    checkChannel(bot, context),
  ]);
  const rows = all.filter(({ id }) => only === undefined || id === only);
  const { page, pages, from, to } = rowsOfPage(rows.length, wanted ?? 0, subscriptionsAPage);
  const shown = rows.slice(from, to);
  const explained = await explain(bot, context, shown, check.lane && silenceOf(check.lane, bot.clock.now()));
  // If a subscription is silent, people want to see that its checks pass.
  const isSilent = explained.some(({ events }) => events.length === 0);
  const answer = whyThisChannel({
    page,
    pages,
    channel: isSilent ? check.findings : notable(check.findings),
    subscriptions: explained,
    ended: only === undefined && page === pages - 1 ? await endedOf(bot, channel) : [],
    personal: isDirect(context.channelId),
  });
  await context.reply(answer, { replace: wanted !== undefined });
}

async function explain(
  bot: Bot,
  context: CommandContext,
  rows: readonly Subscription[],
  silence: ReturnType<typeof silenceOf>,
): Promise<ExplainedSubscription[]> {
  const channel = channelOf(context);
  const ids = rows.map(({ id }) => id);
  const [last, posts] = await Promise.all([
    traces.lastOf(bot.db, channel, ids, eventsEach),
    traces.lastPosts(bot.db, ids),
  ]);
  const known = { rows: await rowsOf(bot, channel, rows, [...last.values()].flat()), silence };
  const explainOne = async (traced: TracedRow) => {
    const { row } = traced;
    const events = last.get(row.id) ?? [];
    const findings = await checkSubscription(bot, context, row);
    const times = lastTimes(row.lastEventAt, posts.get(row.id) ?? null, context.copy);
    return {
      origin: traced,
      events: await describeTraces(bot, channel, events, known),
      findings: events.length === 0 ? [...findings, ...times] : notable(findings),
    };
  };
  return Promise.all(ids.flatMap((id) => known.rows.get(id) ?? []).map(explainOne));
}

type TracedRow = Origin & { readonly row: Subscription };

/** What is known about the events of a channel: their subscriptions by id, and what keeps it silent now. */
type TraceFacts = Pick<TracedEvent, 'silence'> & { readonly rows: ReadonlyMap<string, TracedRow> };

/** Returns events with their outcomes, as the people of the channel are allowed to see them. */
async function describeTraces(
  bot: Bot,
  channel: Channel,
  traces: readonly Trace[],
  { rows, silence }: TraceFacts,
): Promise<TracedEvent[]> {
  const seen = await asSeen(bot, channel, traces, rows);
  const changes = seen.map(({ notification, postedAs, receivedAt, subscriptionId }) => {
    if (notification === null) return null;
    const change = recalledChange({ notification, postedAs, receivedAt }, null);
    const row = rows.get(subscriptionId)?.row;
    return row ? inSight(change, notification, row) : change;
  });
  const presented = await presentChanges(bot, channel, changes);
  return seen.map((trace, index) => {
    const { subscriptionId, duplicateOf } = trace;
    const other = duplicateOf === subscriptionId ? undefined : rows.get(duplicateOf ?? '');
    return {
      ...trace,
      change: presented[index] ?? null,
      through: rows.get(subscriptionId),
      duplicateOf: other?.subscribed ?? null,
      silence,
    };
  });
}

/** Returns events without names if the channel may not see them: those outside of what is followed are filtered only when their turn comes. */
async function asSeen(
  { db }: Bot,
  channel: Channel,
  traces: readonly Trace[],
  rows: TraceFacts['rows'],
): Promise<readonly Trace[]> {
  const unposted = traces.flatMap(({ seq, state, notification, subscriptionId }) => {
    const subscription = rows.get(subscriptionId)?.row;
    return subscription && notification && state !== 'posted' ? [{ seq, notification, subscription }] : [];
  });
  const outside = await outsideAmong(db, channel, unposted);
  return traces.map((trace) => {
    if (trace.notification === null || !outside.has(trace.seq)) return trace;
    const notification = { ...trace.notification, name: null, path: null, actorEmail: null };
    const becomes = trace.state === 'pending' ? ({ state: 'filtered', reason: 'path' } as const) : {};
    return { ...trace, notification, ...becomes };
  });
}

/** Returns subscriptions, also those that posted the duplicates, with who made them, as long as the audit log knows; else their owners. */
async function rowsOf(
  bot: Bot,
  channel: Channel,
  rows: readonly Subscription[],
  some: readonly Trace[],
): Promise<Map<string, TracedRow>> {
  const known = new Map(rows.map((row) => [row.id, row]));
  const named = some.flatMap(({ subscriptionId, duplicateOf }) => [
    subscriptionId,
    ...(duplicateOf ? [duplicateOf] : []),
  ]);
  const others = [...new Set(named)].filter((id) => !known.has(id));
  const ids = [...known.keys(), ...others];
  const [found, changed, made] = await Promise.all([
    Promise.all(others.map((id) => subscriptions.byId(bot.db, id))),
    audit.lastTo(bot.db, channel, changeAct, ids),
    audit.lastTo(bot.db, channel, 'subscribe', ids),
  ]);
  const traced = [...rows, ...found.filter((row) => row !== null)].map(async (row): Promise<TracedRow> => {
    const { id, ownerUserId } = row;
    const maker = made.get(id)?.userId ?? ownerUserId;
    return {
      row,
      id,
      subscribed: subscribedOf(row),
      settings: { ...row, names: await namesIn(bot, channel, row) },
      changedAt: changed.get(id)?.at ?? null,
      madeBy: await whoOf(bot, row, maker),
      madeAt: row.createdAt,
      carriedOnBy: maker === ownerUserId ? null : await whoOf(bot, row, ownerUserId),
    };
  });
  return new Map((await Promise.all(traced)).map((each) => [each.id, each]));
}

async function endedOf(bot: Bot, channel: Channel): Promise<EndedSubscription[]> {
  const since = earlier(bot.clock.now(), endedSinceMs);
  const rows = await subscriptions.endedOfChannel(bot.db, channel, since, endedShown);
  const ids = rows.map(({ id }) => id);
  const removed = await audit.lastTo(bot.db, channel, 'unsubscribe', ids);
  const endedOne = async (row: Subscription): Promise<EndedSubscription> => {
    const { reason, endedAt } = row;
    const by = removed.get(row.id)?.userId;
    return {
      subscribed: subscribedOf(row),
      at: endedAt ?? bot.clock.now(),
      reason,
      by: by === undefined ? null : await whoOf(bot, channel, by),
    };
  };
  return Promise.all(rows.map(endedOne));
}

/** Returns the totals of a message's events; null if it has none. */
function sumOf(through: readonly TracedSubscription[]) {
  if (through.length === 0) return null;
  return {
    count: through.reduce((sum, { count }) => sum + count, 0),
    first: new Date(Math.min(...through.map(({ first }) => first.getTime()))),
    last: new Date(Math.max(...through.map(({ last }) => last.getTime()))),
    postedAt: through.findLast(({ postedAt }) => postedAt)?.postedAt ?? null,
  };
}
