import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../sandbox/slack/faults.ts';
import { checkDelivery, readEvents } from './checker.ts';
import { type FaultWorld, untilSettled } from './endure.ts';
import { type Follower, startLoad } from './steady-load.ts';

/** One way in which Slack fails to accept posts. */
export type FaultRow = {
  readonly name: string;
  readonly fault: Fault;
  /** Whether the message may be in the channel without the bot knowing. If so, each fault may cause one duplicate. */
  readonly mayDouble: boolean;
  /** Minimum wait before a retry, in seconds. */
  readonly waits: number;
};

const never = 0;
const statuses = [500, 502, 503, 504].flatMap((status) => [
  row(`${status}, not stored`, { status }, 2),
  doubling(`${status}, stored`, { status, stored: true }, 2),
]);
const errors = ['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'].flatMap(
  (error) => [
    row(`${error}, not stored`, { error }, 2),
    doubling(`${error}, stored`, { error, stored: true }, 2),
  ],
);

/** Every way in which Slack's answer reports a failure, or is missing. */
export const faultRows: readonly FaultRow[] = [
  ...statuses,
  ...errors,
  doubling('200 with an HTML page', { body: 'html' }, 2),
  doubling('200 with text that is not JSON', { body: { text: 'ok' } }, 2),
  doubling('200 with half of the JSON', { body: 'truncated' }, 2),
  row('an answer after 9 s', { delayMs: 9_000 }, never),
  doubling('an answer after 11 s', { delayMs: 11_000 }, 2),
  doubling('no answer, stored', { hang: true, stored: true }, 2),
  row('no answer, not stored', { hang: true }, 2),
  row('reset before it was stored', { reset: true }, 2),
  doubling('reset after it was stored', { reset: true, stored: true }, 2),
  doubling('ok without ts', { withoutTs: true }, 2),
];

/** Separate from the others: when several channels are throttled at once, the whole workspace is slowed down. */
export const limitRows: readonly FaultRow[] = [
  row('429 with Retry-After: 1', { status: 429, retryAfter: 1 }, 1),
  row('429 with Retry-After: 5', { status: 429, retryAfter: 5 }, 5),
  row('429 without Retry-After', { status: 429 }, 2),
];

function row(name: string, fault: Fault, waits: number): FaultRow {
  return { name, fault, mayDouble: false, waits };
}

function doubling(name: string, fault: Fault, waits: number): FaultRow {
  return { name, fault, mayDouble: true, waits };
}

export type RowResult = {
  readonly findings: readonly string[];
  readonly accepted: number;
  readonly lost: number;
  readonly doubled: number;
  /** Number of calls hit by the fault. */
  readonly hits: number;
  /**
   * Shortest time, in seconds, between a call that was hit and the next call of its method in the channel; null if there is no such pair.
   */
  readonly shortestWait: number | null;
  /** Seconds from the end of the fault to the next successful call for the channel. */
  readonly recoveredAfter: number;
  /** Milliseconds from acceptance to post, for the slowest event. */
  readonly slowestMs: number;
};

export type RunOptions = {
  readonly everyNth: number;
  readonly lastsMs: number;
  /** Notifications per second and channel. */
  readonly perSecond: number;
  /** Number of channels without a fault. */
  readonly untouched: number;
};

/**
 * Runs all rows at once, each in a channel of its own. Returns the result of each row by name, and of the channels without a fault as
 * `untouched 1` and so on.
 */
export async function runRows(
  world: FaultWorld,
  rows: readonly FaultRow[],
  { everyNth, lastsMs, perSecond, untouched }: RunOptions,
): Promise<ReadonlyMap<string, RowResult>> {
  const { slack } = world.stage;
  const followers = await world.follow(rows.length + untouched);
  const places = followers.map((follower, index) => ({ follower, row: rows[index] }));
  const load = startLoad({
    to: followers,
    perSecond: perSecond * followers.length,
    firstIndex: world.takeIndexes(100_000),
  });
  const faults = new Map(
    places.flatMap(({ follower: { channelId }, row }) =>
      row
        ? [[channelId, slack.fault({ channel: channelId, times: Infinity, everyNth, ...row.fault })] as const]
        : [],
    ),
  );
  await sleep(lastsMs);
  for (const fault of faults.values()) fault.clear();
  const endedAt = Date.now();
  await sleep(2_000);
  await load.stop();
  await untilSettled(
    world.pool,
    followers.map(({ channelId }) => channelId),
  );
  const events = await readEvents(world.pool);
  const resultOf = (follower: Follower, row: FaultRow | undefined): RowResult => {
    const { channelId } = follower;
    const hits = faults.get(channelId)?.hits() ?? 0;
    const own = events.filter((event) => event.channelId === channelId);
    const { findings, counts } = checkDelivery({
      sent: load.tries.filter(({ channel }) => channel === channelId),
      events: own,
      messages: slack.allMessages.filter((message) => message.channelId === channelId),
      allowedDoubles: row?.mayDouble ? hits : 0,
    });
    const calls = slack.calls.filter(({ args }) => args.channel === channelId);
    const waits = calls.flatMap((call, index) => {
      // Slack limits each method separately: a channel that refuses edits may accept posts.
      const next = calls.slice(index + 1).find(({ method }) => method === call.method);
      return call.faulted && next ? [(next.at - call.at) / 1_000] : [];
    });
    const well = calls.find(({ at, outcome }) => at >= endedAt && outcome === 'ok');
    return {
      findings,
      accepted: counts.accepted,
      lost: counts.lost,
      doubled: counts.doubled,
      hits,
      shortestWait: waits.length === 0 ? null : Math.min(...waits),
      recoveredAfter: well ? (well.at - endedAt) / 1_000 : Number.POSITIVE_INFINITY,
      slowestMs: Math.max(
        ...own.map(({ postedAt, receivedAt }) => Number(postedAt ?? Infinity) - Number(receivedAt)),
      ),
    };
  };
  const results = new Map<string, RowResult>();
  for (const [index, { follower, row }] of places.entries()) {
    const name = row?.name ?? `untouched ${index - rows.length + 1}`;
    const result = resultOf(follower, row);
    results.set(name, result);
    process.stderr.write(
      `1 in ${everyNth}: ${name}: ${JSON.stringify({ ...result, findings: result.findings.slice(0, 2) })}\n`,
    );
  }
  return results;
}
