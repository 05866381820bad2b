import type { Log } from '../../lib/log.ts';
import { retry } from '../../lib/retry.ts';
import type { ActivityMode, SummaryReason } from '../../messages/activity/activity.ts';
import { ownFaults } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { WaitingAnnouncement } from '../../store/tables/announcements.ts';
import type { PostedEvent, WaitingEvent } from '../../store/tables/events.ts';
import type { ClaimedLane } from '../../store/tables/lanes.ts';
import type { PauseChannel } from '../channels/pause-channel.ts';
import type { Edit, LookUp, Post, PostOutcome } from '../channels/post.ts';
import type { Change } from '../model/change.ts';
import type { Clock } from '../model/clock.ts';
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
import { makeDefer, type Untold } from './defer.ts';
import type { DeliveryTables, TransactDelivery } from './delivery-tables.ts';
import { type MarkTurnDeps, makeMarkTurn, type TurnResult } from './mark-turn.ts';
import type { PrepareTurn, Turn } from './prepare-turn.ts';
import type { RecallChanges } from './recall-changes.ts';

export type DeliverDeps = {
  readonly clock: Clock;
  readonly tables: DeliveryTables;
  readonly transact: TransactDelivery;
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
  }) => Message;
  readonly pauseChannel: PauseChannel;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly noted?: MarkTurnDeps['noted'];
  readonly log: Pick<Log, 'warn'>;
};

/** When a lane wants its next turn; null where nothing is left to do. */
export type NextTurn = Date | null;

/** How long a claim holds: longer than a post to Slack may take (10 s), and short enough to be taken over soon after a crash. */
const claimMs = 15_000;
/** Slack takes about one message a second and channel; a little more keeps clear of its edge. */
const betweenPostsMs = 1_050;
/** Events that one turn takes. More would make one message of them all the same, and hold the lane longer. */
const eventsATurn = 2_000;
/** Waits between tries to write down what was posted, and what is to be left of the claim for another try. */
const retryMs = { first: 100, most: 800, toSpare: 1_000 };
/** Where others took what a crowded workspace may post for now, a lane asks again after about as long. */
const throttledMs = { least: 1_000, spread: 4_000 };
/** Tries to find out what became of a post, before it is made again without knowing. */
const lookUpsMost = 3;

/**
 * Gives a lane one turn: takes what waits, drops what filters or a wider subscription cover, tells the rest in one message, and marks
 * it. While a burst goes on, that message is the last one, edited. The outcome of each post has a case here or in `put-off.ts`;
 * nothing is thrown for Slack's sake.
 *
 * After a crash between Slack's answer and the mark, the message is posted once more: Slack offers no key that would tell the two
 * apart. That is at most one double a crash, and none where Slack lets the bot read the channel and so look for it.
 */
export function makeDeliver(deps: DeliverDeps): (lane: Channel) => Promise<NextTurn> {
  const { clock, tables, transact, log } = deps;
  const mark = makeMarkTurn(deps);
  const defer = makeDefer(deps);

  return async (lane) => {
    const now = clock.now();
    const until = new Date(now.getTime() + claimMs);
    const claim = await tables.lanes.claim(lane, now, until);
    if (!claim.claimed) return claim.until;
    if (claim.pausedReason !== null) {
      await transact(async ({ events, lanes }) => {
        await lanes.release(lane, claim.fence);
        await events.hold(lane, 'paused');
      });
      return null;
    }
    const ready = readyAt(claim, now);
    if (ready.getTime() > now.getTime()) {
      await tables.lanes.release(lane, claim.fence, {}, { keepAttempt: true });
      return ready;
    }
    try {
      const settled = claim.attempt && (await settleAttempt(lane, claim, claim.attempt));
      return settled ?? (await takeTurn(lane, claim, now));
    } catch (error) {
      // The next turn need not wait for the claim to run out. Where the database is away, it will.
      await retryOn(claim, () => tables.lanes.release(lane, claim.fence, {}, { keepAttempt: true })).catch(
        () => undefined,
      );
      throw error;
    }
  };

  /**
   * Writes down how a turn went, and tries again while the lane is still ours: a message that nobody remembers is posted once more, and
   * a lane that is not freed rests until its claim runs out.
   */
  function retryOn(claim: ClaimedLane, write: () => Promise<void>): Promise<void> {
    const leftMs = () => claim.at.getTime() + claimMs - clock.now().getTime();
    return retry(write, {
      waits: retryMs,
      goesOn: (error, wait) => !isLaneLost(error) && leftMs() >= wait + retryMs.toSpare,
      sleep: deps.sleep,
      failed: (error) => log.warn({ err: error }, 'how a turn went could not be written down; trying again'),
    });
  }

  async function takeTurn(lane: Channel, claim: ClaimedLane, now: Date): Promise<NextTurn> {
    const { announcement, waiting } = await whatWaits(lane, claim, now);
    const oldest = waiting[0];
    // What is summed up was kept until something ended, and the announcement of that comes first.
    if (announcement && (!oldest || oldest.summary !== null || announcement.createdAt <= oldest.receivedAt)) {
      return postAnnouncement(lane, claim, announcement);
    }
    if (!oldest) {
      await tables.lanes.release(lane, claim.fence);
      return null;
    }
    const turn = await prepare(lane, claim, waiting, now);
    const isSilent = turn.changes.length + turn.stale === 0;
    const deferUntil = isSilent ? await drop(lane, claim, turn) : await tellTurn(lane, claim, turn);
    if (deferUntil !== undefined) return deferUntil;
    return turn.more || waiting.length === eventsATurn || announcement ? now : null;
  }

  async function prepare(
    lane: Channel,
    { hasDuplicates }: ClaimedLane,
    waiting: readonly WaitingEvent[],
    now: Date,
  ) {
    const turn = await deps.prepareTurn(lane, waiting, { now, hasDuplicates });
    for (const { subscriptionId, error } of turn.unreadable) {
      const fields = { err: error, team: lane.teamId, channel: lane.channelId, subscription: subscriptionId };
      log.warn(fields, 'dead letter: an event cannot be read');
    }
    return turn;
  }

  /** In a muted lane only what the bot itself has to say. */
  async function whatWaits(lane: Channel, { mutedUntil }: ClaimedLane, now: Date) {
    const muted = mutedUntil !== null && mutedUntil > now;
    if (muted) await tables.events.hold(lane, 'muted');
    const [announcement, waiting] = await Promise.all([
      tables.announcements.next(lane),
      muted ? [] : tables.events.waiting(lane, eventsATurn),
    ]);
    return { announcement, waiting };
  }

  /** Finds out what became of a post whose answer never came; gives when to go on, or null where it is to be made again. */
  async function settleAttempt(
    lane: Channel,
    claim: ClaimedLane,
    { key, seqs, at: since, threadTs }: Attempt,
  ): Promise<Date | null> {
    let ts: string | null;
    try {
      ts = await deps.lookUp.find(lane, { key, since: new Date(since), threadTs });
    } catch (error) {
      const fields = { err: error, team: lane.teamId, channel: lane.channelId };
      log.warn(fields, 'a post could not be looked for');
      if (claim.failures >= lookUpsMost) return null;
      const next = await defer(lane, claim, { kind: 'perhaps', error: 'look_up_failed' });
      return next === 'give up' ? null : next;
    }
    if (ts === null) return null;
    const tried = new Set(seqs);
    const waiting = (await tables.events.waiting(lane, eventsATurn)).filter(({ seq }) => tried.has(seq));
    const turn = await prepare(lane, claim, waiting, clock.now());
    await markPosted(lane, claim, turn, { ts, at: new Date(since) });
    return clock.now();
  }

  /** Nothing of what waited is to be said. */
  async function drop(lane: Channel, claim: ClaimedLane, turn: Turn): Promise<undefined> {
    await mark(lane, claim, turn, { at: clock.now(), outcome: null, change: {} });
  }

  /** Tells what is to be told; gives when the lane goes on where that is not at once. */
  async function tellTurn(lane: Channel, claim: ClaimedLane, turn: Turn): Promise<NextTurn | undefined> {
    const now = clock.now();
    const telling = tellingOf(turn);
    if (takesInto(claim.card, telling, now) && (await tables.paces.takeUpdate(lane, now))) {
      return editCard(lane, claim, { turn, card: claim.card });
    }
    const throttled = await whereThrottled(lane, claim, now);
    if (throttled) return throttled;
    let message: Message;
    try {
      message = render(turn, turn.changes, turn.since);
    } catch (error) {
      return setAside(lane, claim, turn, error);
    }
    const outcome = await postTurn(lane, claim, { turn, message });
    switch (outcome.kind) {
      case 'posted':
        await markPosted(lane, claim, turn, { ts: outcome.ts, at: clock.now() });
        return;
      case 'refused':
        return bury(lane, claim, turn, outcome.error);
      case 'thread gone':
        if (turn.threadTs !== null) return forgetThread(lane, claim, turn.threadTs);
        return deferOrBury(lane, claim, { turn, outcome });
      default:
        return deferOrBury(lane, claim, { turn, outcome });
    }
  }

  /** What Slack refuses is tried once more as plain text: better a poor message than none. */
  async function postTurn(
    lane: Channel,
    claim: ClaimedLane,
    { turn, message }: { turn: Turn; message: Message },
  ): Promise<PostOutcome> {
    const where = {
      threadTs: turn.threadTs ?? undefined,
      key: await noteAttempt(lane, claim, turn),
    };
    const outcome = await deps.post(lane, message, where);
    if (outcome.kind !== 'refused') return outcome;
    log.warn(
      { team: lane.teamId, channel: lane.channelId, error: outcome.error },
      'message refused, posted plainly',
    );
    return deps.post(lane, { text: message.text, blocks: [] }, where);
  }

  /** Where the post could be found again, it is written down before it is made. */
  async function noteAttempt(lane: Channel, claim: ClaimedLane, turn: Turn): Promise<string | undefined> {
    if (!(await mayLook(lane))) return undefined;
    const key = `${claim.fence}.${turn.posted[0] ?? ''}`;
    const at = clock.now().toISOString();
    await tables.lanes.noteAttempt(lane, claim.fence, {
      key,
      seqs: turn.posted,
      at,
      threadTs: turn.threadTs,
    });
    return key;
  }

  /** Where Slack cannot be asked who the bot is, the post itself will tell what is wrong. */
  async function mayLook(lane: Channel): Promise<boolean> {
    return deps.lookUp.mayLook(lane).catch(() => false);
  }

  async function markPosted(
    lane: Channel,
    claim: ClaimedLane,
    turn: Turn,
    { ts, at }: { ts: string; at: Date },
  ): Promise<void> {
    // What goes into a thread leaves the channel's last message where it is.
    const card = turn.threadTs === null ? cardOf(claim.card, tellingOf(turn), { ts, at }) : undefined;
    const result: TurnResult = {
      at,
      outcome: { state: 'posted', messageTs: ts },
      change: { lastPostAt: at, notBefore: null, failures: 0, card },
    };
    await retryOn(claim, () => mark(lane, claim, turn, result));
  }

  /** Has the last message tell this, too. Where Slack will not have it, a new one does. */
  async function editCard(
    lane: Channel,
    claim: ClaimedLane,
    { turn, card }: { turn: Turn; card: LaneCard },
  ): Promise<NextTurn | undefined> {
    const told = await tables.events.ofMessage(lane, card.ts);
    const message = await retold(lane, turn, told).catch((error: unknown) => {
      log.warn({ err: error, team: lane.teamId, channel: lane.channelId }, 'message not written anew');
      return null;
    });
    if (message === null) {
      await tables.lanes.release(lane, claim.fence, { card: null });
      return clock.now();
    }
    const outcome = await deps.edit(lane, card.ts, message);
    const at = clock.now();
    switch (outcome.kind) {
      case 'posted':
        await retryOn(claim, () =>
          mark(lane, claim, turn, {
            at,
            outcome: { state: 'posted', messageTs: card.ts },
            change: { notBefore: null, failures: 0, card: cardWith(card, tellingOf(turn), at) },
          }),
        );
        return;
      case 'wait':
      case 'refused':
      case 'thread gone':
        log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'message not edited');
        if (outcome.kind === 'wait') await tables.paces.endUpdates(lane, at);
        await tables.lanes.release(lane, claim.fence, { card: null });
        return at;
      default:
        return deferOrBury(lane, claim, { turn, outcome, edited: card });
    }
  }

  /** The last message with what this turn adds to it. */
  async function retold(lane: Channel, turn: Turn, told: readonly PostedEvent[]): Promise<Message> {
    const changes = [...(await deps.recallChanges(lane, told)), ...turn.changes];
    return render(turn, changes, told[0]?.receivedAt ?? turn.since);
  }

  async function postAnnouncement(
    lane: Channel,
    claim: ClaimedLane,
    announcement: WaitingAnnouncement<Message>,
  ): Promise<NextTurn> {
    const throttled = await whereThrottled(lane, claim, clock.now());
    if (throttled) return throttled;
    const outcome = await deps.post(lane, announcement.message);
    if (outcome.kind !== 'posted' && outcome.kind !== 'refused') {
      const next = await defer(lane, claim, outcome);
      if (next !== 'give up') return next;
    }
    if (outcome.kind !== 'posted') {
      log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'announcement refused');
    }
    const at = clock.now();
    const change = { lastPostAt: at, notBefore: null, failures: 0, card: null };
    await retryOn(claim, () =>
      transact(async ({ announcements, lanes }) => {
        await lanes.release(lane, claim.fence, change);
        await announcements.remove(announcement.id);
      }),
    );
    return new Date(at.getTime() + betweenPostsMs);
  }

  /** In a crowded workspace each post is one of those that all lanes share; gives when to ask again where there is none left. */
  async function whereThrottled(lane: Channel, claim: ClaimedLane, now: Date): Promise<Date | null> {
    if (claim.throttledUntil === null || claim.throttledUntil <= now) return null;
    if (await tables.paces.takePost(lane, now)) return null;
    // Spread by what differs from lane to lane, so that they do not all come back at once.
    const spread = (Number(claim.fence) * 997) % throttledMs.spread;
    const notBefore = new Date(now.getTime() + throttledMs.least + spread);
    await tables.lanes.release(lane, claim.fence, { notBefore }, { keepAttempt: true });
    return notBefore;
  }

  async function deferOrBury(
    lane: Channel,
    claim: ClaimedLane,
    { turn, outcome, edited }: { turn: Turn; outcome: Untold; edited?: LaneCard },
  ): Promise<NextTurn | undefined> {
    const next = await defer(lane, claim, outcome, edited);
    return next === 'give up' ? bury(lane, claim, turn, outcome.error) : next;
  }

  /** Nothing can be done about it here: an admin can look at it, and have it tried again. */
  async function bury(lane: Channel, claim: ClaimedLane, turn: Turn, error: string): Promise<undefined> {
    log.warn({ team: lane.teamId, channel: lane.channelId, error }, 'dead letter');
    const at = clock.now();
    await mark(lane, claim, turn, {
      at,
      outcome: { state: 'dead', reason: error },
      change: { lastPostAt: at, notBefore: null, failures: 0 },
    });
  }

  /** No message could be made. What stops it is a dead letter, and the rest has the next turn; all is, where no one event alone does. */
  async function setAside(
    lane: Channel,
    claim: ClaimedLane,
    turn: Turn,
    error: unknown,
  ): Promise<Date | undefined> {
    log.warn({ err: error, team: lane.teamId, channel: lane.channelId }, 'no message could be made');
    const fails = (change: Change) => {
      try {
        render(turn, [change], turn.since);
        return false;
      } catch {
        return true;
      }
    };
    const failing = turn.changes.map(fails);
    const stopping = turn.posted.filter((_, at) => failing[at]);
    if (stopping.length === 0 || stopping.length === turn.posted.length) {
      return bury(lane, claim, turn, ownFaults.unrenderable);
    }
    const alone = {
      ...turn,
      posted: stopping,
      dropped: new Map(),
      unreadable: [],
      items: new Map(),
      notes: [],
      ended: [],
    };
    await bury(lane, claim, alone, ownFaults.unrenderable);
    return clock.now();
  }

  /** The thread was deleted or closed: its items go into the channel itself again. */
  async function forgetThread(lane: Channel, claim: ClaimedLane, threadTs: string): Promise<Date> {
    const at = clock.now();
    await transact(async ({ items, lanes }) => {
      await lanes.release(lane, claim.fence);
      await items.forgetThread(lane, threadTs);
    });
    return at;
  }

  function render(turn: Turn, changes: readonly Change[], since: Date | null): Message {
    return deps.renderActivity({
      changes,
      now: clock.now(),
      mode: turn.mode,
      skipped: turn.stale,
      endedSubscription: turn.ended.length > 0,
      because: turn.because ?? undefined,
      since,
    });
  }
}

/** Told by its name, since the core sees the store by type only. */
function isLaneLost(error: unknown): boolean {
  return error instanceof Error && error.name === 'LaneLostError';
}

/** A last word, and news of what was left out, are not to be overlooked. */
function tellingOf({ mode, changes, threadTs, ended, stale }: Turn): Telling {
  return { mode, events: changes.length, threadTs, isLastWord: ended.length + stale > 0 };
}

function readyAt(claim: ClaimedLane, now: Date): Date {
  const afterLast = claim.lastPostAt ? claim.lastPostAt.getTime() + betweenPostsMs : 0;
  const afterCard = nextEditAt(claim.card, now)?.getTime() ?? 0;
  const waits = [claim.notBefore, claim.workspaceNotBefore].map((at) => at?.getTime() ?? 0);
  return new Date(Math.max(afterLast, afterCard, ...waits));
}
