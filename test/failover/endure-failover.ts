import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { checkDelivery, type EventRow, readEvents } from '../faults/checker.ts';
import { isAlive, untilSettled, wordsOf } from '../faults/endure.ts';
import { type Follower, startLoad, type Try } from '../faults/steady-load.ts';
import type { Followed } from '../faults/support/kill-scene.ts';
import type { ChildBot } from '../support/child-bot.ts';
import type { Stage } from '../support/stage.ts';
import type { Cluster } from './cluster.ts';
import { failOver, type Way } from './fail-over.ts';

type Judged = Pick<Failover, 'accepted' | 'lost' | 'doubled' | 'outOfOrder'>;

export type FailoverWorld = {
  readonly stage: Stage;
  readonly cluster: Cluster;
  readonly pool: pg.Pool;
  readonly webs: readonly ChildBot[];
  readonly workers: readonly ChildBot[];
  readonly followed: readonly Followed[];
  /** Everything sent and found so far. All failovers are judged together, because a message from one can be edited during the next. */
  readonly judged: { readonly sent: Try[]; counts: Judged };
};

/** Times are in seconds; the rest are counts. */
export type Failover = {
  readonly way: string;
  readonly accepted: number;
  readonly refused: number;
  readonly lost: number;
  readonly doubled: number;
  /** Posts whose answer from Slack came too late, so each may be posted twice: the practice Slack shares this machine. */
  readonly unanswered: number;
  readonly outOfOrder: number;
  /** From the fault until another server accepts writes. */
  readonly switchAfter: number;
  /** The longest time during which one of the web processes accepted nothing. */
  readonly refusesFor: number;
  /** The longest time a notification waited for its answer. */
  readonly longestAnswer: number;
  /** From the switch to the first 200 of the slowest web process. */
  readonly acceptsAfter: number;
  /** From the switch to the next post: in any channel, and in the channel that waited longest. */
  readonly postsAfter: number;
  readonly lastPostsAfter: number;
  /** The longest time an accepted notification waited in a channel for the first post there after the switch. */
  readonly longestRest: number;
  readonly findings: readonly string[];
  readonly ended: readonly string[];
  readonly logged: Readonly<Record<string, number>>;
};

/** Roughly what a service does that honors `Retry-After`: retrying hundreds of refused notifications must not become the load. */
const retryMs = 5_000;
const beforeMs = 4_000;
const afterMs = 8_000;

/** Sends notifications steadily before, during and after the leader is lost, waits until all are posted, and counts. */
export async function endureFailover(world: FailoverWorld, way: Way, perSecond: number): Promise<Failover> {
  const { stage, cluster, pool, webs, workers, followed } = world;
  const { slack } = stage;
  await cluster.untilWhole();
  const bots = [...webs, ...workers];
  const written = bots.map(({ output }) => output().length);
  const firstIndex = world.judged.sent.length;
  const load = startLoad({ to: followersOf(webs, followed), perSecond, firstIndex, retryMs });
  await sleep(beforeMs);
  const { faultAt, switchedAt } = await failOver(cluster, way);
  await sleep(afterMs);
  await load.stop();
  await cluster.untilWhole();
  await untilSettled(
    pool,
    followed.map(({ channel }) => channel),
  );
  const events = await readEvents(pool);
  const { counts, findings } = judge(world, load.tries, events);
  const output = bots.map((bot, n) => bot.output().slice(written[n])).join('\n');
  const posts = postsAfter(slack.allMessages, followed, switchedAt);
  return {
    way: way.name,
    ...counts,
    refused: load.tries.filter(({ status }) => status !== 200).length,
    switchAfter: (switchedAt - faultAt) / 1_000,
    ...accepting(webs, load.tries, switchedAt),
    longestAnswer: Math.max(...load.tries.map(({ took }) => took)) / 1_000,
    postsAfter: Math.min(...posts),
    lastPostsAfter: Math.max(...posts),
    longestRest: longestRest(events, switchedAt),
    findings,
    ended: bots.filter(({ pid }) => !isAlive(pid)).map(({ publicUrl }) => publicUrl),
    unanswered: output.split('"request_error"').length - 1,
    logged: wordsOf(output),
  };
}

/** Returns what this failover adds to the findings of the earlier ones. */
function judge({ stage, judged }: FailoverWorld, tries: readonly Try[], events: readonly EventRow[]) {
  judged.sent.push(...tries);
  const { findings, counts } = checkDelivery({
    sent: judged.sent,
    events,
    messages: stage.slack.allMessages,
  });
  const { accepted, lost, doubled, outOfOrder } = counts;
  const before = judged.counts;
  judged.counts = { accepted, lost, doubled, outOfOrder };
  const added: Judged = {
    accepted: accepted - before.accepted,
    lost: lost - before.lost,
    doubled: doubled - before.doubled,
    outOfOrder: outOfOrder - before.outOfOrder,
  };
  return { counts: added, findings };
}

/** All channels through the first process, then all through the second, and so on. */
function followersOf(webs: readonly ChildBot[], followed: readonly Followed[]): Follower[] {
  return webs.flatMap(({ publicUrl }) =>
    followed.map(({ channel, path }) => ({ channelId: channel, uri: `${publicUrl}${path}` })),
  );
}

function accepting(
  webs: readonly ChildBot[],
  tries: readonly Try[],
  switchedAt: number,
): Pick<Failover, 'refusesFor' | 'acceptsAfter'> {
  const each = webs.map(({ publicUrl }) => {
    const times = tries
      .filter(({ status, subscription }) => status === 200 && subscription.startsWith(publicUrl))
      .map(({ answeredAt }) => answeredAt)
      .sort((one, other) => one - other);
    const gaps = times.map((time, at) => time - (times[at - 1] ?? time));
    const next = times.find((time) => time >= switchedAt) ?? Number.POSITIVE_INFINITY;
    return { refusesFor: Math.max(0, ...gaps) / 1_000, acceptsAfter: (next - switchedAt) / 1_000 };
  });
  return {
    refusesFor: Math.max(...each.map(({ refusesFor }) => refusesFor)),
    acceptsAfter: Math.max(...each.map(({ acceptsAfter }) => acceptsAfter)),
  };
}

/** Returns, for each channel, the seconds from the switch to its next post or edit. */
function postsAfter(
  messages: Stage['slack']['allMessages'],
  followed: readonly Followed[],
  switchedAt: number,
): number[] {
  const next = new Map(followed.map(({ channel }) => [channel, Number.POSITIVE_INFINITY]));
  for (const { channelId, postedAt, edits } of messages) {
    const known = next.get(channelId);
    if (known === undefined) continue;
    const times = [postedAt, ...edits.map(({ until }) => until)].filter((time) => time >= switchedAt);
    next.set(channelId, Math.min(known, ...times));
  }
  return [...next.values()].map((time) => (time - switchedAt) / 1_000);
}

function longestRest(events: readonly EventRow[], switchedAt: number): number {
  const firsts = new Map<string, { posted: number; waitedSince: number }>();
  for (const { channelId, receivedAt, postedAt } of events) {
    const posted = postedAt?.getTime() ?? 0;
    if (posted < switchedAt) continue;
    const waitedSince = Math.max(receivedAt.getTime(), switchedAt);
    const first = firsts.get(channelId);
    if (first === undefined || posted < first.posted) firsts.set(channelId, { posted, waitedSince });
    else if (posted === first.posted) first.waitedSince = Math.min(first.waitedSince, waitedSince);
  }
  return Math.max(...[...firsts.values()].map((first) => first.posted - first.waitedSince)) / 1_000;
}
