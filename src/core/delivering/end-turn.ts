import { later, minuteMs } from '../../lib/durations.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Bot } from '../bot.ts';
import type { GivenBackReason } from '../metrics.ts';
import type { HeldReason } from '../model/held-reason.ts';
import { cardOf, type LaneCard, nextEditAt } from '../model/lane-card.ts';
import { defer, type UnpostedOutcome } from './defer.ts';
import { type LaneRest, markTurn, setbacksOf, untouched } from './mark-turn.ts';
import type { ClaimedLane, Turn } from './turn.ts';
import { deadFields, held, pendingPostOf, resultOf } from './turn-result.ts';

/** How long a lane waits after a fault, in milliseconds: 2 s, 4 s, up to a minute. */
const faultWaitsMs = { first: 2_000, most: minuteMs };

/** Frees a lane without having posted anything. */
export async function giveBack(
  bot: Bot,
  taken: ClaimedLane,
  reason: GivenBackReason,
  change: Partial<TurnMark> = {},
): Promise<LaneRest> {
  bot.metrics.givenBack(reason);
  const at = bot.clock.now();
  await markTurn(bot, taken, { ...untouched(taken, at), setbacks: taken.setbacks, ...change });
  return { ready: change.notBefore ?? at, waits: true };
}

/** After a fault, a lane waits longer each time, and its next turn takes half as many events. */
export function giveBackFailed(bot: Bot, taken: ClaimedLane, err: unknown): Promise<LaneRest> {
  const { lane, waiting, setbacks } = taken;
  const ms = Math.min(faultWaitsMs.first * 2 ** (setbacks / setbacksOf.fault), faultWaitsMs.most);
  const fields = { err, team: lane.teamId, channel: lane.channelId, waiting: waiting.length, ms };
  bot.log.error(fields, 'a turn of a lane failed');
  return giveBack(bot, taken, 'fault', {
    notBefore: later(bot.clock.now(), ms),
    setbacks: Math.min(setbacks + setbacksOf.fault, setbacksOf.most),
  });
}

/** Holds the events of a paused or muted channel for a summary. */
export async function hold(bot: Bot, taken: ClaimedLane, reason: HeldReason): Promise<LaneRest> {
  const at = bot.clock.now();
  await markTurn(bot, taken, { ...untouched(taken, at), events: held(taken, reason) });
  return { ready: at, waits: taken.waitsMore };
}

/** Marks a turn that has nothing to post. */
export function drop(bot: Bot, taken: ClaimedLane, turn: Turn): Promise<LaneRest> {
  const mark = { ...untouched(taken, bot.clock.now()), ...resultOf(turn, null) };
  return markTurn(bot, taken, mark, { turn, state: null });
}

/** Marks a turn whose message was posted as `ts`. `announcementId`: the announcement with which the message begins. */
export function markPosted(
  bot: Bot,
  taken: ClaimedLane,
  turn: Turn,
  { ts, announcementId }: { readonly ts: string; readonly announcementId: string | null },
): Promise<LaneRest> {
  const at = bot.clock.now();
  const isLed = announcementId !== null;
  // A post in a thread does not replace the channel's last message.
  const card =
    turn.threadTs === null ? cardOf(taken.card, pendingPostOf(turn, taken), { ts, at }) : taken.card;
  const mark = {
    ...untouched(taken, at),
    ...resultOf(turn, { state: 'posted', messageTs: ts }),
    lastPostAt: at,
    notBefore: isLed ? null : nextEditAt(card, at),
    failures: 0,
    // Editing the message later would remove the announcement from it.
    card: isLed ? null : card,
    announcementId,
  };
  return markTurn(bot, taken, mark, { turn, state: 'posted' });
}

/** Ends a turn whose message was not posted: it is tried again, or its events become dead letters. Null if the channel is closed. */
export async function deferOrMarkDead(
  bot: Bot,
  taken: ClaimedLane,
  { turn, outcome, edited }: { turn: Turn; outcome: UnpostedOutcome; edited?: LaneCard },
): Promise<LaneRest | null> {
  const next = await defer(bot, taken, outcome, edited);
  if (next === 'closed') return null;
  return next === 'give up' ? markDead(bot, taken, turn, outcome.error) : freeLane(bot, taken, next);
}

/** Frees the lane with what the next attempt needs to know. */
export async function freeLane(bot: Bot, taken: ClaimedLane, change: Partial<TurnMark>): Promise<LaneRest> {
  const rest = await markTurn(bot, taken, { ...untouched(taken, bot.clock.now()), ...change });
  return { ...rest, waits: true };
}

/** Marks the events as dead letters: the bot cannot fix the cause, but an admin can look at them and retry them. */
export function markDead(bot: Bot, taken: ClaimedLane, turn: Turn, error: string): Promise<LaneRest> {
  bot.log.warn({ ...deadFields(taken, turn.posted), error }, 'dead letter');
  const at = bot.clock.now();
  const result = { ...resultOf(turn, { state: 'dead', reason: error }), lastPostAt: at, failures: 0 };
  return markTurn(bot, taken, { ...untouched(taken, at), ...result }, { turn, state: 'dead' });
}
