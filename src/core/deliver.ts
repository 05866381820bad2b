import type { ActivityMode } from '../messages/activity.ts';
import type { Message } from '../messages/message.ts';
import type { Announcements, WaitingAnnouncement } from '../store/announcements.ts';
import type { EventOutcome, Events } from '../store/events.ts';
import type { Items } from '../store/items.ts';
import type { ClaimedLane, LaneChange, Lanes } from '../store/lanes.ts';
import type { Subscriptions } from '../store/subscriptions.ts';
import type { Change } from './change.ts';
import type { Clock } from './clock.ts';
import type { PauseChannel } from './pause-channel.ts';
import type { Channel } from './people.ts';
import type { Post, PostOutcome } from './post.ts';
import type { PrepareTurn, Turn } from './prepare-turn.ts';

/** The tables that a turn reads and marks. */
export type DeliveryTables = {
  readonly announcements: Announcements<Message>;
  readonly events: Events;
  readonly items: Items;
  readonly lanes: Lanes;
  readonly subscriptions: Subscriptions;
};

export type DeliverDeps = {
  readonly clock: Clock;
  readonly tables: DeliveryTables;
  /** Runs its work in one transaction, over tables that take part in it. */
  readonly transact: <T>(work: (tables: DeliveryTables) => Promise<T>) => Promise<T>;
  readonly post: Post;
  readonly prepareTurn: PrepareTurn;
  readonly renderActivity: (input: {
    changes: readonly Change[];
    now: Date;
    mode: ActivityMode;
    leftOut: number;
    endedSubscription: boolean;
  }) => Message;
  readonly pauseChannel: PauseChannel;
  /** Told of each turn that was marked, for the figures. */
  readonly noted?: ((turn: Turn, state: EventOutcome['state'] | null, at: Date) => void) | undefined;
  readonly log: { readonly warn: (fields: Record<string, unknown>, message: string) => void };
};

/** When a lane wants its next turn; null where nothing is left to do. */
export type NextTurn = Date | null;

/** How long a claim holds: longer than a post to Slack may take (10 s), and short enough to be taken over soon after a crash. */
const claimMs = 15_000;
/** Slack takes about one message a second and channel; a little more keeps clear of its edge. */
const betweenPostsMs = 1_050;
/** Events that one turn takes. More would make one message of them all the same, and hold the lane longer. */
const eventsATurn = 2_000;
const backoffMs = { first: 2_000, most: 300_000 };

/**
 * Gives a lane one turn: takes what waits, drops what filters or a wider subscription cover, posts the rest in one message, and
 * marks it. The outcome of each post has a case here; nothing is thrown for Slack's sake.
 *
 * After a crash between Slack's answer and the mark, the message is posted once more: Slack offers no key that would tell the two
 * apart. That is at most one double a crash.
 */
export function makeDeliver(deps: DeliverDeps): (lane: Channel) => Promise<NextTurn> {
  const { clock, tables, transact, log } = deps;

  return async (lane) => {
    const now = clock.now();
    const until = new Date(now.getTime() + claimMs);
    const claim = await transact(({ lanes }) => lanes.claim(lane, now, until));
    if (!claim.claimed) return claim.until;
    if (claim.pausedReason !== null) {
      await transact(async ({ events, lanes }) => {
        await lanes.release(lane, claim.fence);
        await events.hold(lane, 'paused');
      });
      return null;
    }
    const ready = readyAt(claim);
    if (ready.getTime() > now.getTime()) {
      await tables.lanes.release(lane, claim.fence);
      return ready;
    }
    return takeTurn(lane, claim, now);
  };

  async function takeTurn(lane: Channel, claim: ClaimedLane, now: Date): Promise<NextTurn> {
    const { announcement, waiting } = await whatWaits(lane, claim, now);
    const oldest = waiting[0];
    if (announcement && (!oldest || announcement.createdAt <= oldest.receivedAt)) {
      return postAnnouncement(lane, claim, announcement);
    }
    if (!oldest) {
      await tables.lanes.release(lane, claim.fence);
      return null;
    }
    const turn = await deps.prepareTurn(lane, waiting, now);
    const isSilent = turn.changes.length + turn.stale === 0;
    const putOffUntil = isSilent ? await drop(lane, claim, turn) : await postTurn(lane, claim, turn);
    if (putOffUntil) return putOffUntil;
    return turn.more || waiting.length === eventsATurn || announcement ? now : null;
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

  /** Nothing of what waited is to be said. */
  async function drop(lane: Channel, claim: ClaimedLane, turn: Turn): Promise<null> {
    await mark(lane, claim, turn, { at: clock.now(), outcome: null, change: {} });
    return null;
  }

  async function postTurn(lane: Channel, claim: ClaimedLane, turn: Turn): Promise<NextTurn> {
    const message = deps.renderActivity({
      changes: turn.changes,
      now: clock.now(),
      mode: turn.mode,
      leftOut: turn.stale,
      endedSubscription: turn.ended.length > 0,
    });
    const where = { threadTs: turn.threadTs ?? undefined };
    let outcome = await deps.post(lane, message, where);
    if (outcome.kind === 'refused') {
      log.warn(
        { team: lane.teamId, channel: lane.channelId, error: outcome.error },
        'message refused, posted plainly',
      );
      outcome = await deps.post(lane, { text: message.text, blocks: [] }, where);
    }
    const at = clock.now();
    switch (outcome.kind) {
      case 'posted':
        await mark(lane, claim, turn, {
          at,
          outcome: { state: 'posted', messageTs: outcome.ts },
          change: { lastPostAt: at, notBefore: null, failures: 0 },
        });
        return null;
      case 'thread gone':
        return turn.threadTs === null
          ? putOff(lane, claim, outcome)
          : forgetThread(lane, claim, turn.threadTs);
      case 'refused':
        log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'dead letter');
        await mark(lane, claim, turn, {
          at,
          outcome: { state: 'dead', reason: outcome.error },
          change: { lastPostAt: at, failures: 0 },
        });
        return null;
      default:
        return putOff(lane, claim, outcome);
    }
  }

  async function postAnnouncement(
    lane: Channel,
    claim: ClaimedLane,
    announcement: WaitingAnnouncement<Message>,
  ): Promise<NextTurn> {
    const outcome = await deps.post(lane, announcement.message);
    if (outcome.kind !== 'posted' && outcome.kind !== 'refused') return putOff(lane, claim, outcome);
    if (outcome.kind === 'refused') {
      log.warn({ team: lane.teamId, channel: lane.channelId, error: outcome.error }, 'announcement refused');
    }
    const at = clock.now();
    await transact(async ({ announcements, lanes }) => {
      await lanes.release(lane, claim.fence, { lastPostAt: at, notBefore: null, failures: 0 });
      await announcements.remove(announcement.id);
    });
    return new Date(at.getTime() + betweenPostsMs);
  }

  /** The thread was deleted or closed: its items go into the channel itself again. */
  async function forgetThread(lane: Channel, claim: ClaimedLane, threadTs: string): Promise<NextTurn> {
    const at = clock.now();
    await transact(async ({ items, lanes }) => {
      await lanes.release(lane, claim.fence);
      await items.forgetThread(lane, threadTs);
    });
    return at;
  }

  /** The channel is closed to the bot: what it follows waits with it, and its owners are told. */
  async function closeLane(
    lane: Channel,
    claim: ClaimedLane,
    outcome: Extract<PostOutcome, { kind: 'channel closed' | 'workspace closed' }>,
  ): Promise<NextTurn> {
    const paused = await transact(async ({ events, lanes, subscriptions }) => {
      const closing = { reason: outcome.error, since: claim.at };
      if (!(await lanes.close(lane, claim.fence, closing))) return null;
      await events.hold(lane, 'paused');
      return deps.pauseChannel.pause(subscriptions, lane, outcome);
    });
    if (paused === null) return clock.now();
    await deps.pauseChannel.tell(paused, outcome);
    return null;
  }

  /** Nothing was posted, or nobody knows: the lane waits as long as the outcome asks, or until somebody mends what is closed. */
  async function putOff(
    lane: Channel,
    claim: ClaimedLane,
    outcome: Exclude<PostOutcome, { kind: 'posted' | 'refused' }>,
  ): Promise<NextTurn> {
    const at = clock.now();
    const fields = {
      team: lane.teamId,
      channel: lane.channelId,
      outcome: outcome.kind,
      error: outcome.error,
    };
    log.warn(fields, 'post put off');
    switch (outcome.kind) {
      case 'wait': {
        const notBefore = new Date(at.getTime() + outcome.seconds * 1_000);
        await tables.lanes.release(lane, claim.fence, { notBefore });
        return notBefore;
      }
      case 'perhaps':
      case 'workspace moving':
      case 'thread gone': {
        const failures = claim.failures + 1;
        const wait = Math.min(backoffMs.first * 2 ** (failures - 1), backoffMs.most);
        const notBefore = new Date(at.getTime() + wait);
        await tables.lanes.release(lane, claim.fence, { notBefore, failures });
        return notBefore;
      }
      case 'channel closed':
      case 'workspace closed':
        return closeLane(lane, claim, outcome);
    }
  }

  /** Writes down what became of a turn, all at once, and only while the lane is still ours. */
  async function mark(
    lane: Channel,
    claim: ClaimedLane,
    turn: Turn,
    result: { at: Date; outcome: EventOutcome | null; change: LaneChange },
  ): Promise<void> {
    await transact(async ({ events, items, lanes, subscriptions }) => {
      await lanes.release(lane, claim.fence, result.change);
      for (const [reason, seqs] of turn.dropped) {
        await events.settle(seqs, { state: 'filtered', reason }, result.at);
      }
      if (result.outcome) await events.settle(turn.posted, result.outcome, result.at);
      await items.note(lane, withThreads(turn, result.outcome), result.at);
      await subscriptions.noteEvents(turn.notes);
      await subscriptions.end(turn.ended, 'deleted', result.at);
      await events.dropEnded(turn.ended);
    });
    deps.noted?.(turn, result.outcome?.state ?? null, result.at);
  }
}

/** What is remembered of items, with the message that was posted as the thread of those that had none. */
function withThreads({ items, threadKeys }: Turn, outcome: EventOutcome | null): Turn['items'] {
  if (outcome?.state !== 'posted' || threadKeys.length === 0) return items;
  const begun = new Set(threadKeys);
  return new Map(
    [...items].map(([key, item]) => [
      key,
      item && begun.has(key) ? { ...item, threadTs: outcome.messageTs } : item,
    ]),
  );
}

function readyAt(claim: ClaimedLane): Date {
  const afterLast = claim.lastPostAt ? claim.lastPostAt.getTime() + betweenPostsMs : 0;
  return new Date(Math.max(afterLast, claim.notBefore?.getTime() ?? 0));
}
