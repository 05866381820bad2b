import { later, minuteMs } from '../../lib/durations.ts';
import type { Message } from '../../messages/text/message.ts';
import { withoutUndo } from '../../messages/text/undo.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { PostOutcome } from '../channels/post.ts';
import { cardWith, type LaneCard, nextEditAt, type PostAttempt, roomFor } from '../model/lane-card.ts';
import type { Channel } from '../model/people.ts';
import { undoMinutes } from '../model/undo.ts';
import { makeDefer } from './defer.ts';
import type { DeliverDeps } from './deliver-deps.ts';
import type { ClaimedLane } from './delivery-tables.ts';
import { makeEndTurn } from './end-turn.ts';
import { LaneLostError, type LaneRest, makeMarkTurn, untouched } from './mark-turn.ts';
import { makePostTurn } from './post-turn.ts';
import { recallChanges } from './recall-changes.ts';
import { makeRenderTurn, type Style } from './render-turn.ts';
import type { Turn } from './turn.ts';
import { held, leadOf, leads, pendingPostOf, resultOf } from './turn-result.ts';

/** How long a lane waits if other lanes used up what a throttled workspace can post for now, in milliseconds. */
const throttledMs = { least: 1_000, spread: 4_000 };
/** Attempts to find out whether a post was made, before it is repeated without knowing. */
const lookUpsMost = 3;
/** Time that must be left of the claim to post, in milliseconds: Slack may take 10 s to answer, and the answer then has to be marked. */
const postTakesMs = 11_000;

/**
 * Runs the turn of a claimed lane: drops what filters reject or another subscription already posted, posts the rest in one message, and
 * marks it. During a burst, it edits the last message instead. The outcome of each post has a case here or in `defer.ts`; nothing is
 * thrown because of Slack.
 *
 * After a crash between Slack's answer and the mark, the message is posted again: Slack offers no idempotency key. That is at most one
 * duplicate per crash, and none if Slack lets the bot read the channel to look for the message.
 *
 * @returns null if another process has claimed the lane, or it waits for the channel to be opened
 */
export function makeDeliver(deps: DeliverDeps): (taken: ClaimedLane) => Promise<LaneRest | null> {
  const { clock, tables, log } = deps;
  const mark = makeMarkTurn(deps);
  const defer = makeDefer(deps);
  const { giveBack, giveBackFailed, hold, drop, markPosted, deferOrBury, putOff, bury } = makeEndTurn(deps, {
    mark,
    defer,
  });
  const { render, renderSafely } = makeRenderTurn(deps);
  const postTurn = makePostTurn(deps, render);

  return async (taken) => {
    try {
      if (taken.pausedReason !== null) return await hold(taken, 'paused');
      if (taken.mutedUntil !== null && taken.mutedUntil <= clock.now()) {
        // The chore that ends mutes may be late; until then, new events would be posted before the held ones.
        await deps.endMute(taken.lane);
        return await giveBack(taken, 'mute over');
      }
      // Also in a muted lane: what was posted before must not be held, and posted again after the mute.
      const settled = taken.attempt && (await settleAttempt(taken, taken.attempt));
      if (settled) return settled;
      return taken.mutedUntil === null ? await takeTurn(taken) : await takeMutedTurn(taken);
    } catch (error) {
      if (!(error instanceof LaneLostError)) {
        return giveBackFailed(taken, error).catch(() => ({ ready: taken.until, waits: true }));
      }
      const where = { err: error, team: taken.lane.teamId, channel: taken.lane.channelId };
      log.warn(where, 'a lane was claimed by another process');
      return null;
    }
  };

  /** In a muted lane only announcements are posted. */
  function takeMutedTurn(taken: ClaimedLane): Promise<LaneRest | null> {
    const { announcement } = taken;
    return announcement === null
      ? hold(taken, 'muted')
      : postAnnouncement(taken, announcement, held(taken, 'muted'));
  }

  async function takeTurn(taken: ClaimedLane): Promise<LaneRest | null> {
    const { announcement, waiting } = taken;
    const oldest = waiting[0];
    // A digest or summary is one message, and what was loaded is only a part of it.
    if (oldest && oldest.summary !== null && taken.waitsMore && !taken.isWhole) {
      return { ...(await giveBack(taken, 'part')), needsWhole: true };
    }
    // An announcement releases held events before their summary; other releases need none.
    const goesFirst =
      !oldest || oldest.summary !== null || (announcement?.createdAt ?? 0) <= oldest.receivedAt;
    const turn = oldest ? await deps.prepareTurn(taken, waiting, clock.now()) : null;
    if (announcement && goesFirst && !(turn && leads(announcement, turn))) {
      return postAnnouncement(taken, announcement, []);
    }
    if (!turn) return giveBack(taken, 'empty');
    const isSilent = turn.changes.length + turn.stale === 0;
    return isSilent ? drop(taken, turn) : postOrEdit(taken, turn);
  }

  /** Finds out whether a post was made whose answer never arrived. Returns null if it must be made again. */
  async function settleAttempt(taken: ClaimedLane, attempt: PostAttempt): Promise<LaneRest | null> {
    const { key, seqs, at: since, threadTs } = attempt;
    const { lane } = taken;
    let ts: string | null;
    try {
      ts = await deps.lookUp.find(lane, { key, since: new Date(since), threadTs });
    } catch (error) {
      const fields = { err: error, team: lane.teamId, channel: lane.channelId };
      log.warn(fields, 'could not look for an unconfirmed post');
      if (taken.failures >= lookUpsMost) return null;
      const next = await defer(taken, { kind: 'perhaps', error: 'look_up_failed' });
      return next === 'give up' || next === 'closed' ? null : putOff(taken, next);
    }
    if (ts === null) return null;
    const tried = new Set(seqs);
    const waiting = taken.waiting.filter(({ seq }) => tried.has(seq));
    const turn = await deps.prepareTurn(taken, waiting, clock.now());
    // If this claim loaded fewer events than the last one, or time ran out, the next turn marks the rest of what the message shows.
    const isPart = waiting.length > 0 && Number(seqs.at(-1)) > Number(taken.waiting.at(-1)?.seq);
    const keepAttempt = isPart || turn.more;
    // Not an announcement added since: the message does not show it.
    const announcementId = attempt.announcementId ?? null;
    const found = { ts, at: new Date(since), announcementId, keepAttempt };
    return markPosted(taken, { ...turn, more: true }, found);
  }

  /** Posts the prepared turn, or edits it into the last message. */
  async function postOrEdit(taken: ClaimedLane, prepared: Turn): Promise<LaneRest | null> {
    const now = clock.now();
    const style = await styleOf(taken, prepared);
    const { message, turn } = renderSafely(prepared, taken, style);
    if (message === null) return drop(taken, turn);
    const added = await takeEdit(taken, turn, style);
    if (taken.card && added) return editCard(taken, { turn: added, card: taken.card, style });
    const throttled = await whereThrottled(taken, now);
    if (throttled) return throttled;
    await leaveTime(taken);
    const outcome = await postTurn(taken, { turn, message, style });
    switch (outcome.kind) {
      case 'posted':
        return markPosted(taken, turn, {
          ts: outcome.ts,
          at: clock.now(),
          announcementId: style.lead?.id ?? null,
        });
      case 'refused':
        return bury(taken, turn, outcome.error);
      case 'thread gone':
        if (turn.threadTs !== null) return forgetThread(taken, turn.threadTs);
        return deferOrBury(taken, { turn, outcome });
      default:
        return deferOrBury(taken, { turn, outcome });
    }
  }

  /** Extends the claim if too little of it is left to post and mark before another process can claim the lane. */
  async function leaveTime(taken: ClaimedLane): Promise<void> {
    const { lane, at, until } = taken;
    const now = clock.now();
    if (until.getTime() - now.getTime() >= postTakesMs) return;
    const ms = now.getTime() - at.getTime();
    log.warn({ team: lane.teamId, channel: lane.channelId, ms }, 'a turn took long to prepare');
    const claimedUntil = later(now, until.getTime() - at.getTime());
    const kept = { ...untouched(taken, now), setbacks: taken.setbacks, keepAttempt: true, claimedUntil };
    if (!(await deps.mark(taken, kept))) throw new LaneLostError(lane);
  }

  /**
   * Takes an edit from the workspace's allowance. Returns the part of the turn that fits into the last message; null if the turn needs a
   * message of its own.
   */
  async function takeEdit(taken: ClaimedLane, turn: Turn, { lead }: Style): Promise<Turn | null> {
    const now = clock.now();
    const room = lead ? 0 : roomFor(pendingPostOf(turn, taken), taken.card, now);
    if (room === 0 || !(await tables.paces.takeUpdate(taken.lane, now))) return null;
    if (turn.changes.length <= room) return turn;
    // What is between the changes that fit, but is not shown, is settled with them.
    const last = taken.waiting.findIndex(({ seq }) => seq === turn.posted[room - 1]);
    const part = await deps.prepareTurn(taken, taken.waiting.slice(0, last + 1), now);
    return { ...part, more: true };
  }

  /** Edits the turn into the last message. If Slack refuses, the next turn posts a new message. */
  async function editCard(
    taken: ClaimedLane,
    { turn, card, style }: { turn: Turn; card: LaneCard; style: Style },
  ): Promise<LaneRest | null> {
    const { lane } = taken;
    const posted = await tables.events.ofMessage(lane, card.ts);
    const message = await renderAgain(lane, { turn, posted, style }).catch((error: unknown) => {
      log.warn(
        { err: error, team: lane.teamId, channel: lane.channelId },
        'could not render the last message again',
      );
      return null;
    });
    if (message === null) {
      await mark(taken, { ...untouched(taken, clock.now()), card: null });
      return { ready: clock.now(), waits: true };
    }
    await leaveTime(taken);
    const outcome = await deps.edit(lane, card.ts, message);
    const at = clock.now();
    switch (outcome.kind) {
      case 'posted': {
        const edited = cardWith(card, pendingPostOf(turn, taken), at);
        const result = {
          ...resultOf(turn, { state: 'posted', messageTs: card.ts }),
          // An edit counts toward Slack's pace, too: the message after the one that it filled follows soon.
          lastPostAt: at,
          notBefore: nextEditAt(edited, at),
          failures: 0,
          card: edited,
        };
        return mark(taken, { ...untouched(taken, at), ...result }, { turn, state: 'posted' });
      }
      case 'wait':
      case 'refused':
      case 'thread gone':
        log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'message not edited');
        if (outcome.kind === 'wait') await tables.paces.endUpdates(lane, at);
        await mark(taken, { ...untouched(taken, at), card: null });
        return { ready: at, waits: true };
      default:
        return deferOrBury(taken, { turn, outcome, edited: card });
    }
  }

  /** Renders the last message with this turn's changes added. */
  async function renderAgain(
    lane: Channel,
    { turn, posted, style }: { turn: Turn; posted: readonly PostedEvent[]; style: Style },
  ): Promise<Message> {
    const changes = [...(await recallChanges(deps.bot, lane, posted)), ...turn.changes];
    return render(turn, changes, posted[0]?.receivedAt ?? turn.since, style);
  }

  async function styleOf(taken: ClaimedLane, turn: Turn): Promise<Style> {
    const { lane, showsSigns: signs, hasSeveral: places } = taken;
    const tables = turn.kind === 'summary' && (await deps.tableRefusals.mayTry(lane));
    return {
      look: { signs, places, tables, offers: deps.offersIn(lane) },
      lead: leadOf(taken, turn) ?? undefined,
    };
  }

  async function postAnnouncement(
    taken: ClaimedLane,
    announcement: WaitingAnnouncement<Message>,
    events: TurnMark['events'],
  ): Promise<LaneRest | null> {
    const { lane } = taken;
    const throttled = await whereThrottled(taken, clock.now());
    if (throttled) return throttled;
    await leaveTime(taken);
    const outcome = await deps.post(lane, announcement.message);
    if (outcome.kind !== 'posted' && outcome.kind !== 'refused') {
      const next = await defer(taken, outcome);
      if (next === 'closed') return null;
      if (next !== 'give up') return putOff(taken, next);
    }
    await noteAnnounced(taken, announcement, outcome);
    const at = clock.now();
    const messageTs = outcome.kind === 'posted' ? outcome.ts : null;
    const done = {
      lastPostAt: at,
      failures: 0,
      card: null,
      events,
      messageTs,
      announcementId: announcement.id,
    };
    const rest = await mark(taken, { ...untouched(taken, at), ...done });
    // There may be another announcement pending, or events that arrived with this one.
    return { ...rest, waits: true };
  }

  /** Stores when to remove the announcement's Undo button. If that fails, a late click gets an answer that says it is too late. */
  async function noteAnnounced(
    { lane }: ClaimedLane,
    { message, createdAt }: WaitingAnnouncement<Message>,
    outcome: PostOutcome,
  ): Promise<void> {
    const where = { team: lane.teamId, channel: lane.channelId };
    if (outcome.kind !== 'posted') {
      log.warn({ ...where, error: outcome.error }, 'announcement refused');
      return;
    }
    const without = withoutUndo(message);
    if (without === null) return;
    const until = later(createdAt, undoMinutes * minuteMs);
    await tables.undoOffers
      .add({ ...lane, messageTs: outcome.ts, message: without }, until)
      .catch((error: unknown) => log.warn({ err: error, ...where }, 'could not store an Undo button'));
  }

  /**
   * Takes one of the posts that all lanes of a throttled workspace share. Returns how the lane rests if none is left; null if it can
   * post.
   */
  async function whereThrottled(taken: ClaimedLane, now: Date): Promise<LaneRest | null> {
    if (taken.throttledUntil === null || taken.throttledUntil <= now) return null;
    if (await tables.paces.takePost(taken.lane, now)) return null;
    // Spread the lanes by a value that differs between them, so they do not all retry at once.
    const spread = (Number(taken.fence) * 997) % throttledMs.spread;
    return giveBack(taken, 'throttled', { notBefore: later(now, throttledMs.least + spread) });
  }

  /** The thread was deleted or closed: its items are posted in the channel itself again. */
  async function forgetThread(taken: ClaimedLane, threadTs: string): Promise<LaneRest> {
    await tables.items.forgetThread(taken.lane, threadTs);
    return putOff(taken, {});
  }
}
