import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import { lookFromOutside } from '../contract/outside.ts';
import type { ChildBot } from '../support/child-bot.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { checkDelivery, readEvents } from './checker.ts';
import { type Follower, type Load, startLoad, type Try, watchHealth } from './steady-load.ts';

/** A bot in a process of its own, a stage around it, and a database connection that no fault affects. */
export type FaultWorld = {
  readonly stage: Stage;
  readonly child: ChildBot;
  /** Direct, even if the bot goes through a proxy. */
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  /** Makes new channels with one subscription each. */
  readonly follow: (channels: number) => Promise<Follower[]>;
  /** Reserves `count` item numbers that nobody else uses, and returns the first. */
  readonly takeIndexes: (count: number) => number;
  readonly close: () => Promise<void>;
};

type FaultWorldOptions = {
  readonly name: string;
  /** The database itself; by default the one of the stage. */
  readonly databaseUrl?: string | undefined;
  /** Returns the database URL that the bot gets instead, for example one of a proxy. */
  readonly through?: ((databaseUrl: string) => Promise<string>) | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
};

/** How long Slack takes for a post, so that a fault finds some posts in flight. */
const postTakesMs = 150;

export async function startFaultWorld({
  name,
  databaseUrl: given,
  through = async (url) => url,
  env = {},
}: FaultWorldOptions): Promise<FaultWorld> {
  const stage = await setStage({ name, bot: false, rateLimit: 'record' });
  const databaseUrl = given ?? stage.database.url;
  const child = await stage.startChild({ env: { DATABASE_URL: await through(databaseUrl), ...env } });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 3 });
  // Faults that restart the server end these connections too.
  pool.on('error', () => undefined);
  let index = 0;
  return {
    stage,
    child,
    databaseUrl,
    pool,
    async follow(channels) {
      const seen: Stage = Object.create(stage, { database: { value: { url: databaseUrl } } });
      const outside = lookFromOutside(seen);
      const followers: Follower[] = [];
      for (let count = 0; count < channels; count += 1) {
        const channel = stage.slack.addChannel({ members: [...stage.slack.users.values()] });
        const { up } = await outside.following('/subscribe project 412-873-550', { channel });
        followers.push({ channelId: channel.id, uri: up.uri });
      }
      await outside.close();
      return followers;
    },
    takeIndexes(count) {
      const first = index;
      index += count;
      return first;
    },
    async close() {
      await pool.end();
      await stage.close();
    },
  };
}

/** A fault that lasts for a while. */
export type Ordeal = {
  readonly name: string;
  readonly lastsMs: number;
  readonly begin: () => Promise<void>;
  /** Ends the fault; everything works again once this resolves. */
  readonly end: () => Promise<void>;
  /** Where notifications are sent; new channels by default. */
  readonly followers?: readonly Follower[] | undefined;
  /** How many messages may be posted twice, given what the bot has logged; none by default. */
  readonly mayDouble?: ((logged: Readonly<Record<string, number>>) => number) | undefined;
};

export type Endured = {
  /** Everything that was wrong with the delivery, in sentences. */
  readonly findings: readonly string[];
  readonly lost: number;
  readonly doubled: number;
  readonly accepted: number;
  /** Number of answers by status; `none` if there was no answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** The receiver's slowest answer, in milliseconds. */
  readonly longestAnswerMs: number;
  /** Number of 503 answers that did not say when to retry. */
  readonly withoutRetryAfter: number;
  /** Seconds from the end of the fault to the last answer that was not 200. */
  readonly acceptsAfter: number;
  /** Seconds from the end of the fault to the next post in the first and in the last channel. */
  readonly postsAfter: { readonly first: number; readonly last: number };
  /** Seconds from the end of the fault until no event was pending. */
  readonly settledAfter: number;
  readonly health: readonly string[];
  readonly isAlive: boolean;
  /** Number of errors and warnings of the bot, by message. */
  readonly logged: Readonly<Record<string, number>>;
};

const before = 1_500;
const after = 4_000;

/**
 * Sends notifications at a steady rate before, during and after a fault, waits until no event is pending, and returns the results. Also
 * writes them to stderr, one line per fault.
 */
export async function endure(world: FaultWorld, ordeal: Ordeal): Promise<Endured> {
  const { stage, child, pool } = world;
  const { slack } = stage;
  const followers = ordeal.followers ?? (await world.follow(8));
  const channelIds = new Set(followers.map(({ channelId }) => channelId));
  const slow = slack.fault({ method: 'chat.postMessage', delayMs: postTakesMs, times: Infinity });
  const written = child.output().length;
  const firstIndex = world.takeIndexes(10_000);
  const health = watchHealth(child.publicUrl);
  const load = startLoad({ to: followers, perSecond: 24, firstIndex });
  await sleep(before);
  await ordeal.begin();
  await sleep(ordeal.lastsMs);
  await ordeal.end();
  const endedAt = Date.now();
  await sleep(after);
  await load.stop();
  await untilSettled(pool, [...channelIds]);
  const settledAfter = (Date.now() - endedAt) / 1_000;
  slow.clear();
  const messages = slack.allMessages.filter(({ channelId }) => channelIds.has(channelId));
  const events = (await readEvents(pool)).filter(({ channelId }) => channelIds.has(channelId));
  const logged = wordsOf(child.output().slice(written));
  const allowedDoubles = ordeal.mayDouble?.(logged);
  const { findings, counts } = checkDelivery({ sent: load.tries, events, messages, allowedDoubles });
  const endured: Endured = {
    findings,
    lost: counts.lost,
    doubled: counts.doubled,
    accepted: counts.accepted,
    ...figuresOf(load, endedAt),
    postsAfter: postsAfter(followers, messages, endedAt),
    settledAfter,
    health: await health.stop(),
    isAlive: isAlive(child.pid),
    logged,
  };
  process.stderr.write(`${ordeal.name}: ${JSON.stringify({ ...endured, findings: findings.slice(0, 3) })}\n`);
  return endured;
}

/** Expects the bot to have handled a database fault well: quick refusals, a quick recovery, nothing lost, nothing posted twice. */
export function expectEndured(endured: Endured): void {
  const { answers, longestAnswerMs, acceptsAfter, postsAfter } = endured;
  expect(endured).toMatchObject({ lost: 0, withoutRetryAfter: 0, health: [], isAlive: true });
  expect(Object.keys(answers).filter((status) => !['200', '503'].includes(status))).toEqual([]);
  expect.soft(longestAnswerMs).toBeLessThan(3_000);
  expect.soft(acceptsAfter).toBeLessThan(10);
  expect.soft(endured.findings).toEqual([]);
  // If the answer to a take was lost, the same process recognizes the lane at its next take and need not wait for the claim to expire.
  expect.soft(postsAfter.last).toBeLessThan(12);
}

function figuresOf({ tries }: Load, endedAt: number) {
  const refused = tries.filter(({ status }) => status !== 200);
  return {
    answers: tally(tries.map(({ status }) => String(status ?? 'none'))),
    longestAnswerMs: Math.round(Math.max(...tries.map(({ took }) => took))),
    withoutRetryAfter: refused.filter(isUnexplained).length,
    acceptsAfter: Math.max(0, ...refused.map(({ answeredAt }) => (answeredAt - endedAt) / 1_000)),
  };
}

function isUnexplained({ status, retryAfter }: Try): boolean {
  return status === 503 && retryAfter === null;
}

function postsAfter(
  followers: readonly Follower[],
  messages: readonly { channelId: string; postedAt: number; edits: readonly { until: number }[] }[],
  endedAt: number,
): Endured['postsAfter'] {
  const waits = followers.map(({ channelId }) => {
    const times = messages
      .filter((message) => message.channelId === channelId)
      .flatMap(({ postedAt, edits }) => [postedAt, ...edits.map(({ until }) => until)])
      .filter((time) => time >= endedAt);
    return times.length === 0 ? Number.POSITIVE_INFINITY : (Math.min(...times) - endedAt) / 1_000;
  });
  return { first: Math.min(...waits), last: Math.max(...waits) };
}

/** Waits up to a minute until every event of these channels has an outcome; events that are still pending then count as lost. */
export async function untilSettled(pool: pg.Pool, channelIds: readonly string[]): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const { rows } = await pool.query<{ waiting: string }>(
      `select count(*) as waiting from plancast.events where channel_id = any($1) and state = 'pending' and reason is null`,
      [channelIds],
    );
    if (rows[0]?.waiting === '0') return;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Counts how often each warning and error was logged. */
export function wordsOf(output: string): Record<string, number> {
  return tally(
    output
      .split('\n')
      .filter((line) => /"level":"?(warn|error|fatal|40|50|60)\b/.test(line) || /^(?!\{)./.test(line))
      .map((line) => {
        const parsed = parseLine(line);
        return [parsed.msg ?? line.slice(0, 120), parsed.err?.code, parsed.error].filter(Boolean).join(' ');
      }),
  );
}

function parseLine(line: string): {
  msg?: string;
  error?: string;
  err?: { code?: string };
} {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

function tally(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
