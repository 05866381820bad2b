import { later } from '../../lib/durations.ts';
import { forEachRow } from '../../lib/for-each-row.ts';
import { menuActs } from '../../messages/activity/activity.ts';
import type { Message } from '../../messages/text/message.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import * as events from '../../store/tables/events.ts';
import * as items from '../../store/tables/items.ts';
import * as paces from '../../store/tables/paces.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { lastDigestHour } from '../model/digest-hours.ts';
import type { LaneCard } from '../model/lane-card.ts';
import { channelFields, subscriptionFields } from '../model/log-fields.ts';
import { type Channel, channelKey, isDirect } from '../model/people.ts';
import { settle } from '../settling/settle.ts';
import type { PostOutcome } from '../slack.ts';
import {
  defer,
  deferOrMarkDead,
  drop,
  freeLane,
  giveBack,
  giveBackFailed,
  hold,
  markDead,
  markEdited,
  markPosted,
  waitForEdit,
} from './end-turn.ts';
import type { Broken } from './gather-turn.ts';
import { LaneLostError, type LaneRest, untouched } from './mark-turn.ts';
import { prepareTurn } from './prepare-turn.ts';
import { recallChanges } from './recall-changes.ts';
import { renderCard, renderSafely, type Style, summaryReason } from './render-turn.ts';
import { type ClaimedLane, heldBy, isSilent, isUnsettled, leadOf, type Turn } from './turn.ts';

/** How long a lane waits if other lanes used up what a throttled workspace can post for now, in milliseconds. */
const throttledMs = { least: 1_000, spread: 4_000 };
/** How soon an edit that was not possible is tried again, in milliseconds. */
const triedAgainMs = 5_000;
/** Time that must be left of the claim to post, in milliseconds: Slack may take 10 s to answer, and the answer then has to be marked. */
const postTakesMs = 11_000;

/**
 * Runs the turn of a claimed lane: drops what filters reject or another subscription already posted, posts the rest in one message, and
 * marks it; or edits them into an earlier one that shows the same. The outcome of each post has a case here or in `end-turn.ts`; nothing is
 * thrown because of Slack.
 *
 * After a crash between Slack's answer and the mark, or if that answer is lost, the message is posted again: Slack offers no idempotency
 * key. That is at most one duplicate per crash or lost answer.
 *
 * @returns null if another process has claimed the lane, or it waits for the channel to be opened
 */
export async function deliver(bot: Bot, taken: ClaimedLane): Promise<LaneRest | null> {
  const { lane, until } = taken;
  const now = bot.clock.now();
  try {
    if (isUnsettled(taken, now)) {
      // What is due when quiet hours end is part of their summary.
      if (taken.quietUntil !== null && taken.quietUntil <= now) await postDigests(bot, lane);
      await settle(bot, lane);
      return await giveBack(bot, taken, 'unsettled');
    }
    const held = heldBy(taken, now);
    // Announcements are posted in a muted channel, too: in the next turn.
    return held.length > 0 ? await hold(bot, taken, held) : await takeTurn(bot, taken);
  } catch (error) {
    if (!(error instanceof LaneLostError)) {
      return giveBackFailed(bot, taken, error).catch(() => ({ ready: until, waits: true }));
    }
    bot.log.warn({ err: error, ...channelFields(lane) }, 'a lane was claimed by another process');
    return null;
  }
}

async function takeTurn(bot: Bot, taken: ClaimedLane): Promise<LaneRest | null> {
  const { announcement, waiting } = taken;
  const oldest = waiting[0];
  // A digest or summary is one message, and what was loaded is only a part of it.
  if (oldest && oldest.summary !== null && taken.waitsMore && !taken.isWhole) {
    return { ...(await giveBack(bot, taken, 'part')), needsWhole: true };
  }
  // An announcement releases held events before their summary; other releases need none.
  const goesFirst = !oldest || oldest.summary !== null || (announcement?.createdAt ?? 0) <= oldest.receivedAt;
  const turn = oldest ? await prepareTurn(bot, taken, waiting, bot.clock.now()) : null;
  logUnreadable(bot, taken, turn?.unreadable ?? []);
  if (announcement && goesFirst && !(turn && leadOf(taken, turn))) {
    return postAnnouncement(bot, taken, announcement);
  }
  if (!turn) return giveBack(bot, taken, 'empty');
  // An edit takes all that waits for it, and what is due may be behind it.
  if ((isSilent(turn) ? turn.editAt : turn.edit) && taken.waitsMore && !taken.isWhole) {
    return { ...(await giveBack(bot, taken, 'part')), needsWhole: true };
  }
  return isSilent(turn) ? drop(bot, taken, turn) : postOrEdit(bot, taken, turn);
}

function logUnreadable({ log }: Bot, { lane }: ClaimedLane, broken: readonly Broken[]): void {
  for (const { event, error } of broken) {
    const fields = { ...subscriptionFields({ ...event.subscription, ...lane }), events: event.seq };
    log.warn({ err: error, ...fields }, 'dead letter: an event cannot be read');
  }
}

/** Posts the prepared turn, or edits it into an earlier message. */
async function postOrEdit(bot: Bot, taken: ClaimedLane, prepared: Turn): Promise<LaneRest | null> {
  const style = styleOf(taken, prepared, bot.clock.now());
  const { message, turn } = renderSafely(bot, prepared, taken, style);
  if (message === null) return drop(bot, taken, turn);
  if (turn.edit !== null) return edit(bot, taken, { turn, card: turn.edit, style });
  const throttled = await whereThrottled(bot, taken);
  if (throttled) return throttled;
  await leaveTime(bot, taken);
  const outcome = await postTurn(bot, taken.lane, turn, message);
  switch (outcome.kind) {
    case 'posted':
      return markPosted(bot, taken, turn, { ts: outcome.ts, announcementId: style.lead?.id ?? null });
    case 'refused':
      return markDead(bot, taken, turn, outcome.error);
    case 'thread gone':
      if (turn.threadTs === null) return deferOrMarkDead(bot, taken, { turn, outcome });
      // The thread was deleted or closed: its items are posted in the channel itself again.
      await items.forgetThread(bot.db, taken.lane, turn.threadTs);
      return freeLane(bot, taken, {});
    default:
      return deferOrMarkDead(bot, taken, { turn, outcome });
  }
}

function styleOf(taken: ClaimedLane, turn: Turn, now: Date): Style {
  const { lane, showsSigns: signs, hasSeveral: places } = taken;
  // Events in a direct message are already posted there.
  const offers = menuActs.filter((act) => act !== 'follow-item' || !isDirect(lane.channelId));
  const lead = leadOf(taken, turn) ?? undefined;
  return {
    look: { signs, places, isReply: turn.threadTs !== null, offers },
    lead,
    because: summaryReason(taken, turn, lead?.subject ?? null, now),
  };
}

/** Extends the claim if too little of it is left to post and mark before another process can claim the lane. */
async function leaveTime({ clock, log, queue }: Bot, taken: ClaimedLane): Promise<void> {
  const { lane, fence, at, until, setbacks } = taken;
  const now = clock.now();
  if (until.getTime() - now.getTime() >= postTakesMs) return;
  log.warn({ ...channelFields(lane), ms: now.getTime() - at.getTime() }, 'a turn took long to prepare');
  const claimedUntil = later(now, until.getTime() - at.getTime());
  const mark = { ...untouched(taken, now), setbacks, claimedUntil };
  if (!(await queue.mark({ lane, fence, mark }))) throw new LaneLostError(lane);
}

/**
 * Edits the turn into an earlier message. Without an edit left, or if Slack takes none now, its events wait; if Slack refuses, the next
 * turn posts them in a new message. An edit that may have been made is made again, with the same content.
 */
async function edit(bot: Bot, taken: ClaimedLane, edited: Edited): Promise<LaneRest | null> {
  const { clock, db, log, metrics, slack } = bot;
  const { lane } = taken;
  const { turn, card } = edited;
  const fields = channelFields(lane);
  const waitMs = (ms: number) => waitForEdit(bot, taken, turn, later(clock.now(), ms));
  if (!(await paces.takeUpdate(db, lane, clock.now()))) return waitMs(triedAgainMs);
  const message = await renderAgain(bot, taken, edited).catch((error: unknown) => {
    log.warn({ err: error, ...fields }, 'could not render a message again');
    return null;
  });
  if (message === null) return giveUpCard(bot, taken, card);
  await leaveTime(bot, taken);
  const outcome = await slack.edit(lane, card.ts, message);
  metrics.post(outcome.kind);
  if (outcome.kind === 'posted') return markEdited(bot, taken, turn, card);
  log.warn({ ...fields, outcome: outcome.kind, error: outcome.error }, 'message not edited');
  switch (outcome.kind) {
    case 'wait':
      await paces.endUpdates(db, lane, clock.now());
      return waitMs(outcome.seconds * 1_000);
    case 'perhaps':
      return waitMs(triedAgainMs);
    case 'refused':
    case 'thread gone':
      return giveUpCard(bot, taken, card);
    default:
      return deferOrMarkDead(bot, taken, { turn, outcome });
  }
}

type Edited = { readonly turn: Turn; readonly card: LaneCard; readonly style: Style };

/** Leaves a message that cannot be edited as it is: what would have joined it is posted in a new one. */
async function giveUpCard(bot: Bot, taken: ClaimedLane, { ts }: LaneCard): Promise<LaneRest> {
  await items.forgetMessage(bot.db, taken.lane, ts);
  return freeLane(bot, taken, taken.card?.ts === ts ? { card: null } : {});
}

/** Renders a message with this turn's changes added; null if that would hide what it shows, or has no room. */
async function renderAgain(bot: Bot, { lane }: ClaimedLane, edited: Edited): Promise<Message | null> {
  const { turn, card, style } = edited;
  const posted = await events.ofMessage(bot.db, lane, card.ts);
  if (posted.length + turn.shown.length < card.events) return null;
  const changes = [...(await recallChanges(bot, lane, posted)), ...turn.shown.map(({ change }) => change)];
  return renderCard(bot, card, changes, style);
}

async function postAnnouncement(
  bot: Bot,
  taken: ClaimedLane,
  announcement: WaitingAnnouncement<Message>,
): Promise<LaneRest | null> {
  const { lane } = taken;
  const throttled = await whereThrottled(bot, taken);
  if (throttled) return throttled;
  await leaveTime(bot, taken);
  const outcome = await post(bot, lane, announcement.message);
  // There may be another announcement pending, or events that arrived with this one.
  const done = { lastPostAt: bot.clock.now(), failures: 0, card: null, announcementId: announcement.id };
  if (outcome.kind === 'posted')
    return freeLane(bot, taken, { ...done, messageTs: outcome.ts, directId: outcome.directId });
  const next = outcome.kind === 'refused' ? 'give up' : await defer(bot, taken, outcome);
  if (next === 'closed') return null;
  if (next !== 'give up') return freeLane(bot, taken, next);
  bot.log.warn({ ...channelFields(lane), error: outcome.error }, 'announcement refused');
  return freeLane(bot, taken, done);
}

/** Takes one of the posts that all lanes of a throttled workspace share. Returns how the lane rests if none is left; null if it can post. */
async function whereThrottled(bot: Bot, taken: ClaimedLane): Promise<LaneRest | null> {
  const now = bot.clock.now();
  if (taken.throttledUntil === null || taken.throttledUntil <= now) return null;
  if (await paces.takePost(bot.db, taken.lane, now)) return null;
  // Spread the lanes by a value that differs between them, so they do not all retry at once.
  const spread = (Number(taken.fence) * 997) % throttledMs.spread;
  return giveBack(bot, taken, 'throttled', { notBefore: later(now, throttledMs.least + spread) });
}

/** Posts a message to a channel, or in one of its threads, and counts the outcome. */
export async function post(
  { slack, metrics }: Bot,
  lane: Channel,
  message: Message,
  threadTs: string | null = null,
): Promise<PostOutcome> {
  const outcome = await slack.post(lane, message, threadTs);
  metrics.post(outcome.kind);
  return outcome;
}

/** Posts a turn's message. If Slack refuses it, it is tried again as plain text: a plain message is better than none. */
async function postTurn(bot: Bot, lane: Channel, { threadTs }: Turn, message: Message): Promise<PostOutcome> {
  const outcome = await post(bot, lane, message, threadTs);
  if (outcome.kind !== 'refused') return outcome;
  bot.log.warn({ ...channelFields(lane), error: outcome.error }, 'message refused, posting it as plain text');
  return post(bot, lane, { text: message.text, blocks: [] }, threadTs);
}

/** Releases the digests that are due, in one channel or in all; those of one channel together, so that they are one message. Runs every minute. */
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

async function release(bot: Bot, due: readonly Subscription[]): Promise<void> {
  const [lane] = due;
  if (!lane) return;
  const ids = due.map(({ id }) => id);
  if (await inTransaction(bot, ({ db }) => events.releaseDigest(db, lane, ids)))
    await signalLanes(bot.db, [lane]);
}

function isDue({ subscription, oldest }: HeldForDigest, now: Date): boolean {
  // A pause holds digests too: they are posted at the first digest time after it.
  if (subscription.state === 'paused') return false;
  const due = lastDigestHour(subscription.delivery, now);
  // Events held for a digest are released at once if the subscription has since been switched to live delivery.
  return due === null || oldest < due;
}

type HeldForDigest = Awaited<ReturnType<typeof events.heldForDigest>>[number];
