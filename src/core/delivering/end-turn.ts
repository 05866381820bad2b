import { later, minuteMs } from '../../lib/durations.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Bot } from '../bot.ts';
import type { GivenBackReason } from '../metrics.ts';
import { cardOf, type LaneCard } from '../model/lane-card.ts';
import { defer, type UnpostedOutcome } from './defer.ts';
import { waitsUntil } from './join-messages.ts';
import { type LaneRest, markTurn, setbacksOf, untouched } from './mark-turn.ts';
import { pingsOf } from './pings.ts';
import type { ClaimedLane, Turn } from './turn.ts';
import { deadFields, resultOf, sizeOf, waitingForEdit } from './turn-result.ts';

/** How long a lane waits after a fault, in milliseconds: 2 s, 4 s, up to a minute. */
const faultWaitsMs = { first: 2_000, most: minuteMs };
/** How long a lane rests for each of its events that waits for an edit, in milliseconds. */
const restsMs = { each: 5, most: 1_000 };

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

/** Holds events in whose way something stands, for a summary. Others may wait besides. */
export async function hold(bot: Bot, taken: ClaimedLane, held: TurnMark['events']): Promise<LaneRest> {
  const at = bot.clock.now();
  await markTurn(bot, taken, { ...untouched(taken, at), events: held });
  const { waiting, waitsMore, announcement } = taken;
  return { ready: at, waits: waitsMore || held.length < waiting.length || announcement !== null };
}

/** Marks a turn that has nothing to post. */
export function drop(bot: Bot, taken: ClaimedLane, turn: Turn): Promise<LaneRest> {
  const at = bot.clock.now();
  // Each turn looks at all events that wait for an edit.
  const restMs = turn.editAt === null ? 0 : Math.min(taken.waiting.length * restsMs.each, restsMs.most);
  const notBefore = restMs === 0 ? null : later(at, restMs);
  const mark = { ...untouched(taken, at), notBefore, ...resultOf(turn, null) };
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
  // A post in a thread does not replace the channel's newest message. Editing it later would remove an announcement from it.
  const card =
    turn.threadTs === null ? cardOf(turn.kind, turn.joining, sizeOf(turn, taken), { ts, at }) : taken.card;
  const mark = {
    ...untouched(taken, at),
    ...resultOf(turn, { state: 'posted', messageTs: ts }),
    lastPostAt: at,
    failures: 0,
    card: announcementId === null ? card : null,
    pinged: pingsOf(turn).map(({ subscriptionId }) => subscriptionId),
    announcementId,
  };
  return markTurn(bot, taken, mark, { turn, state: 'posted' });
}

/** Marks a turn whose events were edited into a message. `card`: the message as it is now, but for its time. */
export function markEdited(bot: Bot, taken: ClaimedLane, turn: Turn, card: LaneCard): Promise<LaneRest> {
  const at = bot.clock.now();
  const mark = {
    ...untouched(taken, at),
    ...resultOf(turn, { state: 'posted', messageTs: card.ts }),
    ...(taken.card?.ts === card.ts ? { card: { ...card, touchedAt: at.toISOString() } } : {}),
  };
  return markTurn(bot, taken, mark, { turn, state: 'posted' });
}

/** Lets the events of a turn wait for a later edit, each no longer than it may wait. */
export function waitForEdit(bot: Bot, taken: ClaimedLane, turn: Turn, until: Date): Promise<LaneRest> {
  const posted = new Set(turn.posted);
  const waiting = taken.waiting.filter(({ seq }) => posted.has(seq));
  const times = waiting.map((event) => {
    const at = Math.min(until.getTime(), waitsUntil(event).getTime());
    return [event.seq, new Date(at)] as const;
  });
  return freeLane(bot, taken, { events: waitingForEdit(new Map(times)) });
}

/** Ends a turn whose message was not posted: it is tried again, or its events become dead letters. Null if the channel is closed. */
export async function deferOrMarkDead(
  bot: Bot,
  taken: ClaimedLane,
  { turn, outcome }: { turn: Turn; outcome: UnpostedOutcome },
): Promise<LaneRest | null> {
  const next = await defer(bot, taken, outcome);
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
