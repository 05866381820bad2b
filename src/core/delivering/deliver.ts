import type { Log } from '../../lib/log.ts';
import type { ActivityLook, ActivityMode, SummaryReason } from '../../messages/activity/activity.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { PostedEvent } from '../../store/tables/events.ts';
import type { TurnMark } from '../../store/tables/lane-queue.ts';
import type { PauseChannel } from '../channels/pause-channel.ts';
import type { Edit, LookUp, Post, PostOutcome } from '../channels/post.ts';
import type { Change } from '../model/change.ts';
import type { Clock } from '../model/clock.ts';
import type { HeldReason } from '../model/held-reason.ts';
import {
  type Attempt,
  cardOf,
  cardWith,
  type LaneCard,
  nextEditAt,
  type Telling,
  takesInto,
} from '../model/lane-card.ts';
import type { Channel } from '../model/people.ts';
import { ledSummary, resumedSubject } from '../model/summary-lead.ts';
import { makeDefer, type Untold } from './defer.ts';
import type { DeliveryTables, TakenLane, TransactDelivery } from './delivery-tables.ts';
import {
  LaneLostError,
  type LaneRest,
  type MarkTurnDeps,
  makeMarkTurn,
  type TurnResult,
  untouched,
} from './mark-turn.ts';
import type { PrepareTurn, Turn } from './prepare-turn.ts';
import type { RecallChanges } from './recall-changes.ts';
import type { TableRefusals } from './table-refusals.ts';

export type DeliverDeps = {
  readonly clock: Clock;
  readonly tables: DeliveryTables;
  readonly transact: TransactDelivery;
  /** Notes a post that is about to be made; false where the lane was taken by another. */
  readonly noteAttempt: (taken: Pick<TakenLane, 'lane' | 'fence'>, attempt: Attempt) => Promise<boolean>;
  readonly mark: MarkTurnDeps['mark'];
  readonly post: Post;
  readonly edit: Edit;
  readonly lookUp: LookUp;
  readonly prepareTurn: PrepareTurn;
  readonly recallChanges: RecallChanges;
  readonly renderActivity: (input: {
    changes: readonly Change[];
    now: Date;
    mode: ActivityMode;
    skipped: number;
    endedSubscription: boolean;
    because: SummaryReason | undefined;
    since: Date | null;
    look: ActivityLook;
    lead: Message | undefined;
  }) => Message;
  /** How messages look in a channel, as far as that is not for Slack to say. */
  readonly lookOf: (lane: Channel) => Promise<Omit<ActivityLook, 'tables'>>;
  readonly tableRefusals: TableRefusals;
  readonly pauseChannel: PauseChannel;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly noted?: MarkTurnDeps['noted'];
  readonly log: Pick<Log, 'warn' | 'error'>;
};

/** Where others took what a throttled workspace may post for now, a lane asks again after about as long. */
const throttledMs = { least: 1_000, spread: 4_000 };
/** Tries to find out what became of a post, before it is made again without knowing. */
const lookUpsMost = 3;
/** What has to be left of a claim for a post: Slack's answer may take 10 s, and is then to be marked. */
const postTakesMs = 11_000;
/** After a fault of the database or of ours, a lane is tried again. */
const afterFaultMs = 2_000;

/**
 * Gives a lane that was taken its turn: drops what filters or a wider subscription cover, posts the rest in one message, and marks it.
 * While a burst goes on, that message is the last one, edited. The outcome of each post has a case here or in `put-off.ts`; nothing is
 * thrown for Slack's sake.
 *
 * After a crash between Slack's answer and the mark, the message is posted once more: Slack offers no key that would tell the two
 * apart. That is at most one double a crash, and none where Slack lets the bot read the channel and so look for it.
 *
 * @returns null where the lane is another's by now, or waits for somebody to open the channel
 */
export function makeDeliver(deps: DeliverDeps): (taken: TakenLane) => Promise<LaneRest | null> {
  const { clock, tables, log } = deps;
  const mark = makeMarkTurn(deps);
  const defer = makeDefer(deps);

  return async (taken) => {
    try {
      if (taken.pausedReason !== null) return await hold(taken, 'paused');
      if (taken.mutedUntil !== null && taken.mutedUntil > clock.now()) return await takeMutedTurn(taken);
      return (taken.attempt && (await settleAttempt(taken, taken.attempt))) ?? (await takeTurn(taken));
    } catch (error) {
      const where = { err: error, team: taken.lane.teamId, channel: taken.lane.channelId };
      if (error instanceof LaneLostError) {
        log.warn(where, 'a lane was claimed by another');
        return null;
      }
      log.error(where, 'a turn of a lane failed');
      return giveBack(taken, new Date(clock.now().getTime() + afterFaultMs)).catch(() =>
        restUntil(taken.until),
      );
    }
  };

  /** Frees a lane without having done anything. */
  async function giveBack(taken: TakenLane, notBefore: Date | null): Promise<LaneRest> {
    await mark(taken, { ...untouched(taken, clock.now()), notBefore, keepAttempt: true });
    return { ready: notBefore ?? clock.now(), waits: true };
  }

  /** What waits in a closed or muted channel is kept for a summary. */
  async function hold(taken: TakenLane, reason: HeldReason): Promise<LaneRest> {
    const at = clock.now();
    await mark(taken, { ...untouched(taken, at), events: held(taken, reason) });
    return { ready: at, waits: taken.waitsMore };
  }

  /** In a muted lane only what the bot itself has to say. */
  function takeMutedTurn(taken: TakenLane): Promise<LaneRest | null> {
    const { announcement } = taken;
    return announcement === null
      ? hold(taken, 'muted')
      : postAnnouncement(taken, announcement, held(taken, 'muted'));
  }

  async function takeTurn(taken: TakenLane): Promise<LaneRest | null> {
    const { announcement, waiting } = taken;
    const oldest = waiting[0];
    // What was held back is released with an announcement, or without a word: its summary follows.
    const goesFirst =
      !oldest || oldest.summary !== null || (announcement?.createdAt ?? 0) <= oldest.receivedAt;
    const turn = oldest ? await deps.prepareTurn(taken, waiting, clock.now()) : null;
    if (announcement && goesFirst && !(turn && leads(announcement, turn))) {
      return postAnnouncement(taken, announcement, []);
    }
    if (!turn) return giveBack(taken, null);
    const isSilent = turn.changes.length + turn.stale === 0;
    return isSilent ? drop(taken, turn) : tellTurn(taken, turn);
  }

  /** Finds out what became of a post whose answer never came; null where it is to be made again. */
  async function settleAttempt(taken: TakenLane, attempt: Attempt): Promise<LaneRest | null> {
    const { key, seqs, at: since, threadTs } = attempt;
    const { lane } = taken;
    let ts: string | null;
    try {
      ts = await deps.lookUp.find(lane, { key, since: new Date(since), threadTs });
    } catch (error) {
      const fields = { err: error, team: lane.teamId, channel: lane.channelId };
      log.warn(fields, 'a post could not be looked for');
      if (taken.failures >= lookUpsMost) return null;
      const next = await defer(taken, { kind: 'perhaps', error: 'look_up_failed' });
      return next === 'give up' || next === 'closed' ? null : later(taken, next);
    }
    if (ts === null) return null;
    const tried = new Set(seqs);
    const waiting = taken.waiting.filter(({ seq }) => tried.has(seq));
    const turn = await deps.prepareTurn(taken, waiting, clock.now());
    return markPosted(taken, { ...turn, more: true }, { ts, at: new Date(since) });
  }

  /** Whether an announcement ("Dana unmuted this channel") and the summary of what was held until then are one message. */
  function leads({ subject }: WaitingAnnouncement<Message>, turn: Turn): boolean {
    const reason = ledSummary(subject);
    return reason !== null && turn.kind === 'summary' && turn.because === reason && turn.changes.length > 0;
  }

  /** Nothing of what waited is to be said. */
  async function drop(taken: TakenLane, turn: Turn): Promise<LaneRest> {
    return mark(taken, { ...untouched(taken, clock.now()), ...resultOf(turn, null) }, { turn, state: null });
  }

  /** Posts what is to be said, or edits it into the last message. */
  async function tellTurn(taken: TakenLane, prepared: Turn): Promise<LaneRest | null> {
    const { lane } = taken;
    const now = clock.now();
    const style = await styleOf(taken, prepared);
    const { message, turn } = renderSafely(prepared, lane, style);
    if (message === null) return drop(taken, turn);
    const telling = tellingOf(turn);
    if (takesInto(taken.card, telling, now) && !style.lead && (await tables.paces.takeUpdate(lane, now))) {
      return editCard(taken, { turn, card: taken.card, style });
    }
    const throttled = await whereThrottled(taken, now);
    if (throttled) return throttled;
    if (!leavesTime(taken)) return giveBack(taken, null);
    const outcome = await postTurn(taken, { turn, message, style });
    switch (outcome.kind) {
      case 'posted':
        return markPosted(taken, turn, { ts: outcome.ts, at: clock.now() });
      case 'refused':
        return bury(taken, turn, outcome.error);
      case 'thread gone':
        if (turn.threadTs !== null) return forgetThread(taken, turn.threadTs);
        return deferOrBury(taken, { turn, outcome });
      default:
        return deferOrBury(taken, { turn, outcome });
    }
  }

  /** Whether a post can be made and marked before another may take the lane. */
  function leavesTime({ until }: TakenLane): boolean {
    return until.getTime() - clock.now().getTime() >= postTakesMs;
  }

  /**
   * What Slack refuses is tried once more without a table, which not every Slack takes, and then as plain text: better a poor message
   * than none.
   */
  async function postTurn(
    taken: TakenLane,
    { turn, message, style }: { turn: Turn; message: Message; style: Style },
  ): Promise<PostOutcome> {
    const { lane } = taken;
    const where = { threadTs: turn.threadTs ?? undefined, key: await noteAttempt(taken, turn) };
    let outcome = await deps.post(lane, message, where);
    if (outcome.kind !== 'refused') return outcome;
    if (outcome.error === 'invalid_blocks' && message.blocks.some(({ type }) => type === 'data_table')) {
      await deps.tableRefusals.note(lane);
      const look = { ...style.look, tables: false };
      outcome = await deps.post(lane, render(turn, turn.changes, turn.since, { ...style, look }), where);
      if (outcome.kind !== 'refused') return outcome;
    }
    log.warn(
      { team: lane.teamId, channel: lane.channelId, error: outcome.error },
      'message refused, posted plainly',
    );
    return deps.post(lane, { text: message.text, blocks: [] }, where);
  }

  /** Where the post could be found again, it is written down before it is made. */
  async function noteAttempt(taken: TakenLane, turn: Turn): Promise<string | undefined> {
    if (!(await mayLook(taken.lane))) return undefined;
    const key = `${taken.fence}.${turn.posted[0] ?? ''}`;
    const at = clock.now().toISOString();
    const noted = await deps.noteAttempt(taken, { key, seqs: turn.posted, at, threadTs: turn.threadTs });
    if (!noted) throw new LaneLostError(taken.lane);
    return key;
  }

  /** Where Slack cannot be asked who the bot is, the post itself will tell what is wrong. */
  async function mayLook(lane: Channel): Promise<boolean> {
    return deps.lookUp.mayLook(lane).catch(() => false);
  }

  async function markPosted(
    taken: TakenLane,
    turn: Turn,
    { ts, at }: { ts: string; at: Date },
  ): Promise<LaneRest> {
    // What goes into a thread leaves the channel's last message where it is.
    const lead = leadOf(taken, turn);
    const card = turn.threadTs === null ? cardOf(taken.card, tellingOf(turn), { ts, at }) : taken.card;
    return mark(
      taken,
      {
        ...untouched(taken, at),
        ...resultOf(turn, { state: 'posted', messageTs: ts }),
        lastPostAt: at,
        notBefore: lead ? null : nextEditAt(card, at),
        failures: 0,
        // An edit would take the announcement away again.
        card: lead ? null : card,
        announcementId: lead?.id ?? null,
      },
      { turn, state: 'posted' },
    );
  }

  /** Has the last message show this, too. Where Slack will not have it, a new one does. */
  async function editCard(
    taken: TakenLane,
    { turn, card, style }: { turn: Turn; card: LaneCard; style: Style },
  ): Promise<LaneRest | null> {
    const { lane } = taken;
    const posted = await tables.events.ofMessage(lane, card.ts);
    const message = await renderAgain(lane, { turn, posted, style }).catch((error: unknown) => {
      log.warn({ err: error, team: lane.teamId, channel: lane.channelId }, 'message not written anew');
      return null;
    });
    if (message === null) {
      await mark(taken, { ...untouched(taken, clock.now()), card: null });
      return { ready: clock.now(), waits: true };
    }
    if (!leavesTime(taken)) return giveBack(taken, null);
    const outcome = await deps.edit(lane, card.ts, message);
    const at = clock.now();
    switch (outcome.kind) {
      case 'posted': {
        const edited = cardWith(card, tellingOf(turn), at);
        const result = {
          ...resultOf(turn, { state: 'posted', messageTs: card.ts }),
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

  /** The last message with what this turn adds to it. */
  async function renderAgain(
    lane: Channel,
    { turn, posted, style }: { turn: Turn; posted: readonly PostedEvent[]; style: Style },
  ): Promise<Message> {
    const changes = [...(await deps.recallChanges(lane, posted)), ...turn.changes];
    return render(turn, changes, posted[0]?.receivedAt ?? turn.since, style);
  }

  async function styleOf(taken: TakenLane, turn: Turn): Promise<Style> {
    const { lane } = taken;
    const [look, tables] = await Promise.all([
      deps.lookOf(lane),
      turn.kind === 'summary' && deps.tableRefusals.mayTry(lane),
    ]);
    return { look: { ...look, tables }, lead: leadOf(taken, turn) ?? undefined };
  }

  function leadOf({ announcement }: TakenLane, turn: Turn): WaitingAnnouncement<Message> | null {
    return announcement && leads(announcement, turn) ? announcement : null;
  }

  async function postAnnouncement(
    taken: TakenLane,
    announcement: WaitingAnnouncement<Message>,
    events: TurnMark['events'],
  ): Promise<LaneRest | null> {
    const { lane } = taken;
    const throttled = await whereThrottled(taken, clock.now());
    if (throttled) return throttled;
    if (!leavesTime(taken)) return giveBack(taken, null);
    const outcome = await deps.post(lane, announcement.message);
    if (outcome.kind !== 'posted' && outcome.kind !== 'refused') {
      const next = await defer(taken, outcome);
      if (next === 'closed') return null;
      if (next !== 'give up') return later(taken, next);
    }
    if (outcome.kind !== 'posted') {
      log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'announcement refused');
    }
    const at = clock.now();
    const done = { lastPostAt: at, failures: 0, card: null, events, announcementId: announcement.id };
    const rest = await mark(taken, { ...untouched(taken, at), ...done });
    // Another announcement may wait, or events that came with this one.
    return { ...rest, waits: true };
  }

  /** In a throttled workspace each post is one of those that all lanes share; gives when to ask again where there is none left. */
  async function whereThrottled(taken: TakenLane, now: Date): Promise<LaneRest | null> {
    if (taken.throttledUntil === null || taken.throttledUntil <= now) return null;
    if (await tables.paces.takePost(taken.lane, now)) return null;
    // Spread by what differs from lane to lane, so that they do not all come back at once.
    const spread = (Number(taken.fence) * 997) % throttledMs.spread;
    return giveBack(taken, new Date(now.getTime() + throttledMs.least + spread));
  }

  async function deferOrBury(
    taken: TakenLane,
    { turn, outcome, edited }: { turn: Turn; outcome: Untold; edited?: LaneCard },
  ): Promise<LaneRest | null> {
    const next = await defer(taken, outcome, edited);
    if (next === 'closed') return null;
    return next === 'give up' ? bury(taken, turn, outcome.error) : later(taken, next);
  }

  /** Frees the lane with what is to be remembered until its next try. */
  async function later(taken: TakenLane, change: Partial<TurnMark>): Promise<LaneRest> {
    const rest = await mark(taken, { ...untouched(taken, clock.now()), ...change });
    return { ...rest, waits: true };
  }

  /** Nothing can be done about it here: an admin can look at it, and have it tried again. */
  async function bury(taken: TakenLane, turn: Turn, error: string): Promise<LaneRest> {
    const events = turn.posted.join(' ');
    log.warn({ team: taken.lane.teamId, channel: taken.lane.channelId, events, error }, 'dead letter');
    const at = clock.now();
    const result = {
      ...resultOf(turn, { state: 'dead', reason: error }),
      lastPostAt: at,
      failures: 0,
    };
    return mark(taken, { ...untouched(taken, at), ...result }, { turn, state: 'dead' });
  }

  /** The thread was deleted or closed: its items go into the channel itself again. */
  async function forgetThread(taken: TakenLane, threadTs: string): Promise<LaneRest> {
    await tables.items.forgetThread(taken.lane, threadTs);
    return later(taken, {});
  }

  /** Renders a turn's message without the events that stop it, which are dead letters; null where nothing of it is left. */
  function renderSafely(turn: Turn, lane: Channel, style: Style): { message: Message | null; turn: Turn } {
    try {
      return { message: render(turn, turn.changes, turn.since, style), turn };
    } catch (error) {
      const bad = turn.changes.flatMap((change, index) => (isRenderable(turn, change, style) ? [] : [index]));
      // Where each can be rendered, but not all together, nobody can say which one stops it.
      const broken = new Set(bad.length === 0 ? turn.changes.keys() : bad);
      const fields = { err: error, team: lane.teamId, channel: lane.channelId, events: broken.size };
      log.warn(fields, 'dead letter: no message could be made');
      const rest = without(turn, broken);
      const isSilent = rest.changes.length + rest.stale === 0;
      return { message: isSilent ? null : render(rest, rest.changes, rest.since, style), turn: rest };
    }
  }

  function isRenderable(turn: Turn, change: Change, style: Style): boolean {
    try {
      render(turn, [change], turn.since, style);
      return true;
    } catch {
      return false;
    }
  }

  function render(
    turn: Turn,
    changes: readonly Change[],
    since: Date | null,
    { look, lead }: Style,
  ): Message {
    const isBack = lead?.subject === resumedSubject;
    return deps.renderActivity({
      changes,
      now: clock.now(),
      mode: turn.kind === 'summary' ? 'summary' : 'live',
      skipped: turn.stale,
      endedSubscription: turn.ended.length > 0,
      because: isBack ? 'away' : (turn.because ?? undefined),
      since,
      look,
      lead: lead?.message,
    });
  }
}

/** How a turn's message is rendered, beyond what it is about. */
type Style = { readonly look: ActivityLook; readonly lead: WaitingAnnouncement<Message> | undefined };

function restUntil(ready: Date): LaneRest {
  return { ready, waits: true };
}

function held({ waiting }: TakenLane, reason: HeldReason): TurnMark['events'] {
  return waiting.map(({ seq }) => ({ seq, state: 'pending', reason, told: null }));
}

/** A turn without some of its changes, given by their places, which no message can be made of. */
function without(turn: Turn, broken: ReadonlySet<number>): Turn {
  const isWhole = (_: unknown, index: number) => !broken.has(index);
  return {
    ...turn,
    changes: turn.changes.filter(isWhole),
    posted: turn.posted.filter(isWhole),
    broken: new Map([
      ...turn.broken,
      [ownFaults.unrenderable, turn.posted.filter((seq, index) => !isWhole(seq, index))],
    ]),
  };
}

/** What a turn settles. `outcome` null where nothing of it was to be said. */
function resultOf(
  turn: Turn,
  outcome: TurnResult | null,
): Pick<TurnMark, 'events' | 'items' | 'notes' | 'ended' | 'messageTs'> {
  const settled = (seqs: readonly string[], state: 'filtered' | 'dead' | 'posted', reason: string | null) =>
    seqs.map((seq) => ({ seq, state, reason, told: null, idsOnly: turn.idsOnly.has(seq) }));
  const posted =
    outcome === null
      ? []
      : turn.posted.map((seq) => ({
          seq,
          state: outcome.state,
          reason: outcome.state === 'dead' ? outcome.reason : null,
          told: outcome.state === 'posted' ? (turn.told.get(seq) ?? null) : null,
        }));
  return {
    events: [
      ...posted,
      ...[...turn.dropped].flatMap(([reason, seqs]) => settled(seqs, 'filtered', reason)),
      ...[...turn.broken].flatMap(([reason, seqs]) => settled(seqs, 'dead', reason)),
    ],
    items: withThreads(turn, outcome),
    notes: turn.notes,
    ended: turn.ended,
    messageTs: outcome?.state === 'posted' ? outcome.messageTs : null,
  };
}

/** What is remembered of items, with the message that was posted as the thread of those that had none. */
function withThreads({ items, threadKeys }: Turn, outcome: TurnResult | null): Turn['items'] {
  if (outcome?.state !== 'posted' || threadKeys.length === 0) return items;
  const begun = new Set(threadKeys);
  return new Map(
    [...items].map(([key, item]) => [
      key,
      item && begun.has(key) ? { ...item, threadTs: outcome.messageTs } : item,
    ]),
  );
}

/** A last word, and news of what was left out, are not to be overlooked. */
function tellingOf({ kind, because, changes, threadTs, ended, stale }: Turn): Telling {
  return { mode: kind, because, events: changes.length, threadTs, isLastWord: ended.length + stale > 0 };
}
