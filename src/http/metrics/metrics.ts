import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PostOutcome } from '../../core/channels/post.ts';
import type { Turn } from '../../core/delivering/turn.ts';
import { within } from '../../lib/within.ts';

/** How many events are waiting to be posted, when the oldest of them was accepted, and how many dead letters there are. */
export type Backlog = { readonly waiting: number; readonly oldest: Date | null; readonly dead: number };

type MetricsDeps = {
  readonly backlog: () => Promise<Backlog>;
  readonly now: () => Date;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** How long the lane that has waited longest in this process has been due, in seconds. */
  readonly dispatchLag?: (() => number) | undefined;
  /** Whether to collect the process's own metrics (memory, event loop, version), which starts timers. */
  readonly ofProcess?: boolean | undefined;
};

/** The backlog is counted at most once in this many milliseconds, however often it is asked for. */
const backlogHoldsMs = 5_000;
/** How long to wait for the backlog, in milliseconds, so that a database that does not answer costs only its own metrics. */
const backlogWithinMs = 2_000;

/** Label values that are exported from the start, so that a rate is visible from the first increment on. */
const known = {
  notifications: ['stored', 'unknown token', 'removed', 'other subscription', 'not a notification'].concat([
    'wrong signature',
    'busy',
    'refused',
  ]),
  events: ['pending', 'posted', 'filtered', 'dead'],
  posts: [
    'posted',
    'wait',
    'perhaps',
    'channel closed',
    'workspace closed',
    'workspace moving',
    'refused',
    'thread gone',
  ] satisfies PostOutcome['kind'][],
  refreshes: ['refreshed', 'relink', 'failed'],
  statements: ['accept', 'take', 'mark', 'note', 'sweep'],
  turns: ['posted', 'dead', 'silent'],
};

const buckets = {
  accept: [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  eventToPost: [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 900, 3_600, 86_400],
  turnEvents: [1, 2, 5, 10, 20, 50, 100, 500, 1_000, 2_000, 5_000],
  slotWait: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
};

/**
 * Makes the Prometheus metrics of this process, in a registry of their own. `waiting_events`, `oldest_waiting_seconds` and `dead_letters`
 * are read from the database, so every process exports the same values; they are NaN while the database does not answer.
 */
export function makeMetrics({ backlog, now, monotonic, dispatchLag, ofProcess = false }: MetricsDeps) {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = <Label extends string>(
    name: string,
    label: Label,
    help: string,
    words: readonly string[],
  ) => {
    const made = new Counter({ name, help, labelNames: [label], registers });
    // Children are looked up by the label's value, because prom-client sorts and hashes the labels on every call.
    const children = new Map(words.map((word) => [word, childOf(word)]));
    function childOf(word: string) {
      const child = made.labels({ [label]: word } as Record<Label, string>);
      child.inc(0);
      return child;
    }
    return (word: string, by = 1): void => (children.get(word) ?? childOf(word)).inc(by);
  };

  const notifications = counter(
    'plancast_notifications_total',
    'result',
    'Requests to callback URLs, by result.',
    known.notifications,
  );
  const events = counter(
    'plancast_events_total',
    'state',
    'Events by the state they reached; pending: newly accepted.',
    known.events,
  );
  const posts = counter(
    'plancast_posts_total',
    'outcome',
    'Attempts to post a message to Slack, by outcome.',
    known.posts,
  );
  const refreshes = counter(
    'plancast_token_refreshes_total',
    'result',
    'Refreshes of access tokens at the service, by result.',
    known.refreshes,
  );
  const acceptSeconds = new Histogram({
    name: 'plancast_accept_seconds',
    help: 'Time from receiving the body of a notification to answering it, for stored notifications.',
    buckets: buckets.accept,
    registers,
  });
  const eventToPostSeconds = new Histogram({
    name: 'plancast_event_to_post_seconds',
    help: 'Time from accepting an event to posting the message that shows it, except for events held on purpose.',
    buckets: buckets.eventToPost,
    registers,
  });
  const turns = counter(
    'plancast_turns_total',
    'outcome',
    'Turns of lanes by outcome; silent: there was nothing to post.',
    known.turns,
  );
  const turnEvents = new Histogram({
    name: 'plancast_turn_events',
    help: 'Events in the messages posted or edited by one turn.',
    buckets: buckets.turnEvents,
    registers,
  });
  const statements = counter(
    'plancast_lane_statements_total',
    'statement',
    'Batched statements that stored events, or claimed, marked or swept lanes.',
    known.statements,
  );
  const slotWaitSeconds = new Histogram({
    name: 'plancast_slot_wait_seconds',
    help: 'How long due lanes waited before they were claimed.',
    buckets: buckets.slotWait,
    registers,
  });
  new Gauge({
    name: 'plancast_dispatch_lag_seconds',
    help: 'How long the lane that has waited longest in this process has been due; 0 if none is waiting.',
    registers,
    collect() {
      this.set(dispatchLag?.() ?? 0);
    },
  });

  const readBacklog = makeReadBacklog({ backlog, monotonic });
  new Gauge({
    name: 'plancast_waiting_events',
    help: 'Events waiting to be posted now, without those held by a digest, a mute or a pause.',
    registers,
    async collect() {
      this.set((await readBacklog())?.waiting ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'plancast_dead_letters',
    help: 'Events that Slack refused, until an admin replays them or they expire.',
    registers,
    async collect() {
      this.set((await readBacklog())?.dead ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'plancast_oldest_waiting_seconds',
    help: 'How long the oldest waiting event has waited; 0 if none is waiting.',
    registers,
    async collect() {
      const found = await readBacklog();
      this.set(found === null ? Number.NaN : ageOf(found.oldest));
    },
  });

  function ageOf(oldest: Date | null): number {
    return oldest === null ? 0 : Math.max(0, (now().getTime() - oldest.getTime()) / 1_000);
  }

  return {
    /** Counts an answered request to a callback URL; `seconds` is how long the answer took. */
    notification(result: string, seconds: number): void {
      notifications(result);
      if (result === 'stored') acceptSeconds.observe(seconds);
    },
    /** Counts newly stored events. */
    accepted: (count: number): void => events('pending', count),
    /** Counts a marked turn. `state` is the new state of the events in its message; null if there was no message. */
    settled(
      turn: Pick<Turn, 'posted' | 'dropped' | 'broken' | 'acceptedAt'>,
      state: string | null,
      at: Date,
    ): void {
      for (const seqs of turn.dropped.values()) events('filtered', seqs.length);
      for (const seqs of turn.broken.values()) events('dead', seqs.length);
      turns(state ?? 'silent');
      if (state === null) return;
      turnEvents.observe(turn.posted.length);
      events(state, turn.posted.length);
      if (state !== 'posted') return;
      for (const accepted of turn.acceptedAt) {
        eventToPostSeconds.observe(Math.max(0, (at.getTime() - accepted.getTime()) / 1_000));
      }
    },
    /** Counts an attempt to post a message to Slack. */
    post: (outcome: string): void => posts(outcome),
    /** Counts a statement of the queue. */
    statement: (name: string): void => statements(name),
    /** Records for how many seconds each claimed lane had been due. */
    taken(waited: readonly number[]): void {
      for (const seconds of waited) slotWaitSeconds.observe(seconds);
    },
    /** Counts an attempt to refresh tokens. */
    refresh: (result: string): void => refreshes(result),
    /** Returns all metrics in Prometheus text format. */
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof makeMetrics>;

/** Returns a function that reads the backlog, cached for a few seconds; null if the database does not answer. */
function makeReadBacklog({ backlog, monotonic }: Pick<MetricsDeps, 'backlog' | 'monotonic'>) {
  let readAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Backlog | null> = Promise.resolve(null);
  return (): Promise<Backlog | null> => {
    if (monotonic() - readAt >= backlogHoldsMs) {
      readAt = monotonic();
      answer = within(backlogWithinMs, backlog()).catch(() => null);
    }
    return answer;
  };
}
