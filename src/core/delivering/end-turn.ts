import { later, minuteMs } from '../../lib/durations.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { HeldReason } from '../model/held-reason.ts';
import { cardOf, type LaneCard, nextEditAt } from '../model/lane-card.ts';
import type { Defer, UnpostedOutcome } from './defer.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import type { ClaimedLane } from './delivery-tables.ts';
import { type LaneRest, type MarkTurn, setbacksOf, untouched } from './mark-turn.ts';
import type { Turn } from './turn.ts';
import { deadFields, held, pendingPostOf, resultOf } from './turn-result.ts';

/** Why a turn ends without a result. `throttled`: other lanes used up what their workspace can post; `part`: only a part of a summary was loaded. */
export type GivenBackReason = 'fault' | 'throttled' | 'part' | 'mute over' | 'empty';

/** How long a lane waits after a fault, in milliseconds: 2 s, 4 s, up to a minute. */
const faultWaitsMs = { first: 2_000, most: minuteMs };

/** The ways a turn can end, each with the mark it leaves. */
export function makeEndTurn(
  { clock, log, givenBack }: Pick<DeliverDeps, 'clock' | 'log' | 'givenBack'>,
  { mark, defer }: { readonly mark: MarkTurn; readonly defer: Defer },
) {
  return { giveBack, giveBackFailed, hold, drop, markPosted, deferOrBury, putOff, bury };

  /** Frees a lane without having posted anything. */
  async function giveBack(taken: ClaimedLane, reason: GivenBackReason, change: Partial<TurnMark> = {}) {
    givenBack?.(reason);
    const at = clock.now();
    await mark(taken, { ...untouched(taken, at), setbacks: taken.setbacks, keepAttempt: true, ...change });
    return { ready: change.notBefore ?? at, waits: true };
  }

  /** After a fault, a lane waits longer each time, and its next turn takes half as many events. */
  function giveBackFailed(taken: ClaimedLane, err: unknown): Promise<LaneRest> {
    const { lane, waiting, setbacks } = taken;
    const ms = Math.min(faultWaitsMs.first * 2 ** (setbacks / setbacksOf.fault), faultWaitsMs.most);
    const fields = { err, team: lane.teamId, channel: lane.channelId, events: waiting.length, ms };
    log.error(fields, 'a turn of a lane failed');
    return giveBack(taken, 'fault', {
      notBefore: later(clock.now(), ms),
      setbacks: Math.min(setbacks + setbacksOf.fault, setbacksOf.most),
    });
  }

  /** Holds the events of a paused or muted channel for a summary. */
  async function hold(taken: ClaimedLane, reason: HeldReason): Promise<LaneRest> {
    const at = clock.now();
    // A message whose answer was lost can be looked for once the channel is open again.
    const keepAttempt = reason === 'paused';
    await mark(taken, { ...untouched(taken, at), events: held(taken, reason), keepAttempt });
    return { ready: at, waits: taken.waitsMore };
  }

  /** Marks a turn that has nothing to post. */
  async function drop(taken: ClaimedLane, turn: Turn): Promise<LaneRest> {
    return mark(taken, { ...untouched(taken, clock.now()), ...resultOf(turn, null) }, { turn, state: null });
  }

  /** Marks a turn whose message was posted as `ts`. `announcementId`: the announcement with which the message begins. */
  async function markPosted(
    taken: ClaimedLane,
    turn: Turn,
    {
      ts,
      at,
      announcementId,
      keepAttempt = false,
    }: { ts: string; at: Date; announcementId: string | null; keepAttempt?: boolean },
  ): Promise<LaneRest> {
    const isLed = announcementId !== null;
    // A post in a thread does not replace the channel's last message.
    const card =
      turn.threadTs === null ? cardOf(taken.card, pendingPostOf(turn, taken), { ts, at }) : taken.card;
    return mark(
      taken,
      {
        ...untouched(taken, at),
        ...resultOf(turn, { state: 'posted', messageTs: ts }),
        keepAttempt,
        lastPostAt: at,
        notBefore: isLed ? null : nextEditAt(card, at),
        failures: 0,
        // Editing the message later would remove the announcement from it.
        card: isLed ? null : card,
        announcementId,
      },
      { turn, state: 'posted' },
    );
  }

  async function deferOrBury(
    taken: ClaimedLane,
    { turn, outcome, edited }: { turn: Turn; outcome: UnpostedOutcome; edited?: LaneCard },
  ): Promise<LaneRest | null> {
    const next = await defer(taken, outcome, edited);
    if (next === 'closed') return null;
    return next === 'give up' ? bury(taken, turn, outcome.error) : putOff(taken, next);
  }

  /** Frees the lane with what the next attempt needs to know. */
  async function putOff(taken: ClaimedLane, change: Partial<TurnMark>): Promise<LaneRest> {
    const rest = await mark(taken, { ...untouched(taken, clock.now()), ...change });
    return { ...rest, waits: true };
  }

  /** Marks the events as dead letters: the bot cannot fix the cause, but an admin can look at them and retry them. */
  async function bury(taken: ClaimedLane, turn: Turn, error: string): Promise<LaneRest> {
    log.warn({ ...deadFields(taken, turn.posted), error }, 'dead letter');
    const at = clock.now();
    const result = {
      ...resultOf(turn, { state: 'dead', reason: error }),
      lastPostAt: at,
      failures: 0,
    };
    return mark(taken, { ...untouched(taken, at), ...result }, { turn, state: 'dead' });
  }
}
