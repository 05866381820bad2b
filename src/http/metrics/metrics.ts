import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CountedMark, GivenBackReason } from '../../core/bot.ts';
import type { PostOutcome } from '../../core/slack.ts';
import { within } from '../../lib/durations.ts';
import { makeRemember } from '../../lib/records.ts';

/** What waits: events to be posted with when the oldest was accepted, dead letters, and what is to be done at the service. */
export type Backlog = {
  readonly waiting: number;
  readonly oldest: Date | null;
  readonly dead: number;
  /** Remote subscriptions that are not as they should be. */
  readonly unsettled: number;
  /** Since when the longest overdue check of a link has been due; null if none is. */
  readonly uncheckedSince: Date | null;
};

type MetricsDeps = {
  readonly backlog: () => Promise<Backlog>;
  readonly now: () => Date;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  /** Whether to collect the process's own metrics (memory, event loop, version), which starts timers. */
  readonly ofProcess?: boolean | undefined;
};

/** The backlog is counted at most once in this many milliseconds, however often it is asked for. */
const backlogHoldsMs = 5_000;
/** How long to wait for the backlog, in milliseconds, so that a database that does not answer costs only its own metrics. */
const backlogWithinMs = 2_000;

/**
 * Makes the Prometheus metrics of this process, in a registry of their own. `waiting_events`, `oldest_waiting_seconds` and `dead_letters`
 * are read from the database, so every process exports the same values; they are NaN while the database does not answer.
 */
export function makeMetrics(deps: MetricsDeps) {
  const { backlog, now, monotonic, ofProcess = false } = deps;
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  /** The values of the label are exported from the start, so that a rate is visible from the first increment on. */
  const counter = <Label extends string>(
    name: string,
    help: string,
    label: Label,
    values: readonly string[],
  ) => {
    const made = new Counter({ name, help, labelNames: [label], registers });
    // Children are looked up by the label's value, because prom-client sorts and hashes the labels on every call.
    const children = new Map(values.map((value) => [value, childOf(value)]));
    function childOf(value: string) {
      const child = made.labels({ [label]: value } as Record<Label, string>);
      child.inc(0);
      return child;
    }
    return (value: string, by = 1): void => (children.get(value) ?? childOf(value)).inc(by);
  };
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers });
  const readBacklog = makeRemember<Backlog | null>({ forMs: backlogHoldsMs, most: 1, now: monotonic });
  const gauge = (name: string, help: string, of: (backlog: Backlog) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await readBacklog('', () => within(backlogWithinMs, backlog()).catch(() => null));
        this.set(found === null ? Number.NaN : of(found));
      },
    });

  const postOutcomes = [
    'posted',
    'wait',
    'perhaps',
    'channel closed',
    'workspace closed',
    'workspace moving',
    'refused',
    'thread gone',
  ] satisfies PostOutcome['kind'][];
  const notifications = counter(
    'plancast_notifications_total',
    'Requests to callback URLs, by result.',
    'result',
    [
      'stored',
      'unknown token',
      'removed',
      'other subscription',
      'not a notification',
      'wrong signature',
      'busy',
      'refused',
    ],
  );
  const events = counter(
    'plancast_events_total',
    'Events by the state they reached; pending: newly accepted.',
    'state',
    ['pending', 'posted', 'filtered', 'dead'],
  );
  const posts = counter(
    'plancast_posts_total',
    'Attempts to post a message to Slack, by outcome.',
    'outcome',
    postOutcomes,
  );
  const refreshes = counter(
    'plancast_token_refreshes_total',
    'Refreshes of access tokens at the service, by result.',
    'result',
    ['refreshed', 'relink', 'failed'],
  );
  const acceptSeconds = histogram(
    'plancast_accept_seconds',
    'Time from receiving the body of a notification to answering it, for stored notifications.',
    [0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  );
  const eventToPostSeconds = histogram(
    'plancast_event_to_post_seconds',
    'Time from accepting an event to posting the message that shows it, except for events held on purpose.',
    [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300, 900, 3_600, 86_400],
  );
  const givenBack = counter(
    'plancast_turns_given_back_total',
    'Turns of lanes that ended without a result, by reason.',
    'reason',
    ['fault', 'throttled', 'part', 'unsettled', 'empty'] satisfies GivenBackReason[],
  );
  gauge(
    'plancast_waiting_events',
    'Events waiting to be posted now, without those held by a digest, a mute or a pause.',
    ({ waiting }) => waiting,
  );
  gauge(
    'plancast_dead_letters',
    'Events that Slack refused, until an admin replays them or they expire.',
    ({ dead }) => dead,
  );
  gauge(
    'plancast_oldest_waiting_seconds',
    'How long the oldest waiting event has waited; 0 if none is waiting.',
    ({ oldest }) => ageOf(oldest),
  );
  gauge(
    'plancast_unsettled_remotes',
    'Subscriptions at the service that were asked for and not answered, or are still to be deleted there.',
    ({ unsettled }) => unsettled,
  );
  gauge(
    'plancast_links_unchecked_seconds',
    'How long the check of a link at the service is overdue, for the longest overdue one; 0 if none is.',
    ({ uncheckedSince }) => ageOf(uncheckedSince),
  );

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
    /** Counts what became of a turn's events, and how long those in its message took from when they were accepted. */
    settled({ events: marked, at }: CountedMark, acceptedAt: readonly Date[]): void {
      // The others still wait, and were counted when they were accepted.
      for (const { state } of marked) if (state !== 'pending') events(state);
      for (const accepted of acceptedAt) {
        eventToPostSeconds.observe(Math.max(0, (at.getTime() - accepted.getTime()) / 1_000));
      }
    },
    /** Counts a turn that ended without a result. */
    givenBack: (reason: GivenBackReason): void => givenBack(reason),
    /** Counts an attempt to post a message to Slack. */
    post: (outcome: string): void => posts(outcome),
    /** Counts an attempt to refresh tokens. */
    refresh: (result: string): void => refreshes(result),
    /** Returns all metrics in Prometheus text format. */
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
  };
}

export type Metrics = ReturnType<typeof makeMetrics>;
