import { hourMs, later, minuteMs } from '../../lib/durations.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as paces from '../../store/tables/paces.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Bot, GivenBackReason } from '../bot.ts';
import { cardOf, type LaneCard } from '../model/lane-card.ts';
import { channelFields } from '../model/log-fields.ts';
import { type Channel, isDirect } from '../model/people.ts';
import { isUserId } from '../model/typed-text.ts';
import { settle } from '../settling/settle.ts';
import type { PostOutcome } from '../slack.ts';
import { waitsUntil } from './join-messages.ts';
import { LaneLostError, type LaneRest, markTurn, setbacksOf, untouched } from './mark-turn.ts';
import { pingsOf } from './pings.ts';
import { type ClaimedLane, deadFields, resultOf, sizeOf, type Turn, waitsForEdit } from './turn.ts';

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
  return markTurn(bot, taken, mark, turn);
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
  return markTurn(bot, taken, mark, turn);
}

/** Marks a turn whose events were edited into a message. `card`: the message as it is now, but for its time. */
export function markEdited(bot: Bot, taken: ClaimedLane, turn: Turn, card: LaneCard): Promise<LaneRest> {
  const at = bot.clock.now();
  const mark = {
    ...untouched(taken, at),
    ...resultOf(turn, { state: 'posted', messageTs: card.ts }),
    ...(taken.card?.ts === card.ts ? { card: { ...card, touchedAt: at.toISOString() } } : {}),
  };
  return markTurn(bot, taken, mark, turn);
}

/** Lets the events of a turn wait for a later edit, each no longer than it may wait. */
export function waitForEdit(bot: Bot, taken: ClaimedLane, turn: Turn, until: Date): Promise<LaneRest> {
  const events = turn.shown.map(({ event }) =>
    waitsForEdit(event.seq, new Date(Math.min(until.getTime(), waitsUntil(event).getTime()))),
  );
  return freeLane(bot, taken, { events });
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
  const dead = turn.shown.map(({ event }) => event);
  bot.log.warn({ ...deadFields(taken, dead), error }, 'dead letter');
  const at = bot.clock.now();
  const result = { ...resultOf(turn, { state: 'dead', reason: error }), lastPostAt: at, failures: 0 };
  return markTurn(bot, taken, { ...untouched(taken, at), ...result }, turn);
}

/** An outcome after which the same message can be tried again. */
type UnpostedOutcome = Exclude<PostOutcome, { kind: 'posted' | 'refused' }>;

/** Backoff after failures for which Slack asks no wait: 2 s, 4 s, up to 5 min. */
const backoffMs = { first: 2_000, most: 300_000 };
/** Attempts for one message: about a day's worth, or a few if Slack's error is unknown. */
const triesMost = { known: 300, unknown: 5 };
/** How often a workspace that is being moved into an organization is tried. */
const movingMs = hourMs;
/** The most a whole throttled workspace waits because of some lanes; those lanes wait as long as Slack asks. */
const throttledSeconds = 5;

/**
 * Makes a lane wait after nothing was posted, or nobody knows whether it was: as long as the outcome asks, or until the channel or
 * workspace opens again.
 * @returns the mark with which the lane is tried again. `give up`: the same message failed so often that it becomes a dead letter. `closed`:
 * the lane was freed, and a person has to open the channel first.
 */
export async function defer(
  bot: Bot,
  taken: ClaimedLane,
  outcome: UnpostedOutcome,
): Promise<Partial<TurnMark> | 'give up' | 'closed'> {
  const { lane } = taken;
  bot.log.warn({ ...channelFields(lane), outcome: outcome.kind, error: outcome.error }, 'post deferred');
  switch (outcome.kind) {
    case 'wait':
      return wait(bot, lane, outcome);
    case 'workspace moving': {
      const until = later(bot.clock.now(), movingMs);
      await paces.stopUntil(bot.db, lane, until);
      return { notBefore: until };
    }
    case 'channel closed':
      return (await isOnlyForAnnouncements(bot, lane)) ? 'give up' : close(bot, taken, outcome);
    case 'workspace closed':
      return (await isOnlyForAnnouncements(bot, lane))
        ? backOff(bot, taken, outcome)
        : close(bot, taken, outcome);
    default:
      return backOff(bot, taken, outcome);
  }
}

/** Whether a lane is a person's who follows nothing there. Nothing would open it again, so the next message tries anew. */
async function isOnlyForAnnouncements({ db }: Bot, lane: Channel): Promise<boolean> {
  if (isUserId(lane.channelId)) return true;
  return isDirect(lane.channelId) && (await subscriptions.ofChannel(db, lane)).length === 0;
}

async function wait(
  { db, clock }: Bot,
  lane: Channel,
  { seconds, error }: Extract<UnpostedOutcome, { kind: 'wait' }>,
): Promise<Partial<TurnMark>> {
  const at = clock.now();
  const notBefore = later(at, seconds * 1_000);
  if (error === 'message_limit_exceeded') await paces.stopUntil(db, lane, notBefore);
  if (error === 'ratelimited') await paces.noteLimited(db, lane, Math.min(seconds, throttledSeconds), at);
  return { notBefore };
}

function backOff(
  { clock }: Bot,
  taken: ClaimedLane,
  outcome: UnpostedOutcome,
): Partial<TurnMark> | 'give up' {
  const failures = taken.failures + 1;
  const isUnknown = outcome.kind === 'perhaps' && outcome.unknown === true;
  if (failures >= (isUnknown ? triesMost.unknown : triesMost.known)) return 'give up';
  const waitMs = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);
  const notBefore = later(clock.now(), waitMs);
  return { notBefore, failures };
}

/** The channel is closed to the bot: notes that, unless an event has reopened it since the turn started. */
async function close(
  bot: Bot,
  { lane, fence, at }: ClaimedLane,
  { error }: Extract<UnpostedOutcome, { kind: 'channel closed' | 'workspace closed' }>,
): Promise<Partial<TurnMark> | 'closed'> {
  let standing = 'open';
  await settle(bot, lane, async ({ db }) => {
    standing = await lanes.pauseAfterTurn(db, lane, fence, { reason: error, since: at });
    if (standing === 'lost') throw new LaneLostError(lane);
  });
  return standing === 'open' ? {} : 'closed';
}
