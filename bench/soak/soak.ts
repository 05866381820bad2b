import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type PracticeService, startPracticeService } from '../../sandbox/service/practice-service.ts';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { type Cluster, startCluster } from '../../test/failover/cluster.ts';
import { failOver, ways } from '../../test/failover/fail-over.ts';
import { findPrograms } from '../../test/failover/programs.ts';
import {
  checkDelivery,
  type DeliveryResult,
  type LoggedMessage,
  readEvents,
} from '../../test/faults/checker.ts';
import { makeSoakBot, type SoakBot } from './bot-process.ts';
import type { SoakOptions } from './options.ts';
import { makeSampler, type Sample, waitingEvents } from './samples.ts';
import { type Sender, type SenderFigures, startSender } from './sender.ts';
import type { SlackFigures, SlackSpoiling } from './slack-acts.ts';
import { type SlackProcess, startSlackProcess } from './slack-process.ts';

/** The results of a soak. */
export type SoakResult = {
  readonly options: SoakOptions;
  readonly began: Date;
  /** How long notifications were sent, in milliseconds. */
  readonly lastedMs: number;
  readonly samples: readonly Sample[];
  /** How long each acceptance took, and how long each event waited for its post, in milliseconds. */
  readonly accepts: readonly { readonly at: number; readonly ms: number }[];
  readonly posts: readonly { readonly at: number; readonly ms: number }[];
  readonly sender: SenderFigures;
  readonly slack: SlackFigures;
  readonly endings: readonly Ending[];
  readonly failovers: readonly Failover[];
  /** Turns cut short by a kill: each may already have posted, and then posts again. */
  readonly cutShort: number;
  readonly delivery: DeliveryResult;
  /** Other problems: a process that crashed, or did not end in time. */
  readonly trouble: readonly string[];
};

/** A process that was ended on purpose. */
export type Ending = {
  readonly bot: string;
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly code: number | null;
  readonly ms: number;
};

/** A primary that was taken away, and how long it took until another server accepted writes. */
export type Failover = { readonly way: string; readonly ms: number };

const signingSecret = 'practice-signing-secret';
const botToken = 'xoxb-soak';
const serviceClient = { clientId: 'plancast', clientSecret: 'practice-client-secret' };
const project = '412-873-550';
const slackAnswersAfterMs = 80;
const sampleEveryMs = 60_000;
const spoilEveryMs = 40_000;
/** No turn takes longer than this, even if Slack is slow; one that was cut short is taken over only later. In milliseconds. */
const turnTakesMs = 8_000;
/** A lane waits at most 5 minutes after an error. In milliseconds. */
const drainWithinMs = 8 * 60_000;
const stopWithinMs = 25_000;
/** Longer than a failover takes, in milliseconds. */
const answersWithinMs = 60_000;
/** One person can type 30 commands a minute. */
const channelsAPerson = 25;

const spoilings: readonly SlackSpoiling[] = [
  // Throttling several channels at once would mean that the whole workspace is too fast, which then shares a pace for ten minutes.
  { how: 'asked to wait', times: 1 },
  { how: 'error', times: 3 },
  { how: 'reset after storing', times: 1 },
  { how: 'slow', times: 5 },
  { how: 'reset', times: 3 },
  { how: 'error after storing', times: 1 },
];

/**
 * Runs a soak to its end, or until `ending` is aborted.
 * @param say called with each step, in one line
 */
export async function soak(
  options: SoakOptions,
  { say, ending }: { say: (line: string) => void; ending: AbortSignal },
): Promise<SoakResult> {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-soak-'));
  // As root, the server runs as another user, who must have access.
  await chmod(folder, 0o755);
  let kept = true;
  try {
    const scene = await setScene(options, folder, say);
    const result = await run({ options, scene, say, ending }).finally(scene.close);
    kept = result.delivery.findings.length > 0 || result.trouble.length > 0;
    return result;
  } finally {
    if (kept) say(`Logs and the database are kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

type Scene = {
  readonly slack: SlackProcess;
  /** Null if the database is a single server without failover. */
  readonly cluster: Cluster | null;
  readonly pool: pg.Pool;
  /** The bots that are ended in turn, and the one that is not. */
  readonly bots: readonly SoakBot[];
  readonly restarted: readonly SoakBot[];
  readonly callbacks: readonly { readonly channel: string; readonly path: string }[];
  readonly emails: readonly string[];
  readonly close: () => Promise<void>;
};

async function setScene(options: SoakOptions, folder: string, say: (line: string) => void): Promise<Scene> {
  const people = Array.from({ length: Math.ceil(options.channels / channelsAPerson) }, (_, index) => ({
    name: `Person ${index + 1}`,
    email: `person-${index + 1}@example.com`,
  }));
  const slack = await startSlackProcess({
    signingSecret,
    botToken,
    channels: options.channels,
    people,
    answerAfterMs: slackAnswersAfterMs,
  });
  const redirectUris: string[] = [];
  const service = await startPracticeService({ ...serviceClient, redirectUris, seed: seedFor(people) });
  say('practice Slack and practice service are running');
  const postgres = await startPostgres(options, folder);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  pool.on('error', (error) => say(`Postgres: ${error.message}`));
  const bots = await makeBots({ options, folder, slack, service, databaseUrl: postgres.url });
  const close = async (): Promise<void> => {
    await Promise.all(bots.map((bot) => bot.end('SIGKILL')));
    await pool.end();
    await postgres.stop();
    await service.close();
    await slack.ask('close', null).catch(() => slack.kill());
  };
  try {
    const publicUrl = bots[0]?.address ?? '';
    redirectUris.push(`${publicUrl}/oauth/callback`);
    for (const bot of bots) await bot.start();
    say(`${bots.length} processes are ready; ${options.channels} channels are being subscribed`);
    await slack.ask('follow', { botUrl: publicUrl, project });
    const callbacks = await callbacksOf(pool, service);
    say('all channels are subscribed');
    const emails = people.map(({ email }) => email);
    const { cluster } = postgres;
    return { slack, cluster, pool, bots, restarted: bots.slice(0, 2), callbacks, emails, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

type Postgres = {
  readonly url: string;
  readonly cluster: Cluster | null;
  readonly stop: () => Promise<void>;
};

/** Starts one server, or three if the primary is to fail over. */
async function startPostgres({ failoverMinutes }: SoakOptions, folder: string): Promise<Postgres> {
  if (failoverMinutes === null) {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const { url, stop } = await startEmbeddedPostgres({ dataDir: folder, log });
    return { url, stop, cluster: null };
  }
  const programs = findPrograms();
  if ('missing' in programs) throw new Error(`--failover-minutes ${programs.missing}`);
  const cluster = await startCluster(programs);
  return { url: cluster.url, stop: () => cluster.stop({ keepLogs: false }), cluster };
}

function seedFor(people: readonly { name: string; email: string }[]) {
  const primeId = 4021;
  return {
    primes: [{ id: primeId, name: 'Northgate Architects' }],
    users: people.map((one) => ({ ...one, primeId })),
    projects: [
      {
        id: project,
        primeId,
        name: 'Harbour Tower',
        members: Object.fromEntries(people.map(({ email }) => [email, 'write' as const])),
        holds: [],
      },
    ],
    sessions: [],
  };
}

async function makeBots({
  options,
  folder,
  slack,
  service,
  databaseUrl,
}: {
  options: SoakOptions;
  folder: string;
  slack: SlackProcess;
  service: PracticeService;
  databaseUrl: string;
}): Promise<SoakBot[]> {
  const names = options.steady ? ['first', 'second', 'steady'] : ['first', 'second'];
  const ports = await freePorts(names.length);
  const env = {
    // One address for all, as behind a load balancer.
    PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    DATABASE_URL: databaseUrl,
    TOKEN_KEYS: `soak:${randomBytes(32).toString('base64')}`,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_BOT_TOKEN: botToken,
    SLACK_API_URL: slack.apiUrl,
    SERVICE_BASE_URL: service.baseUrl,
    SERVICE_AUTH_URL: service.authUrl,
    SERVICE_CLIENT_ID: serviceClient.clientId,
    SERVICE_CLIENT_SECRET: serviceClient.clientSecret,
  };
  return names.map((name, index) =>
    makeSoakBot({ name, port: ports[index] ?? 0, env, logFile: join(folder, `${name}.log`) }),
  );
}

/** Returns ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Returns the callbacks registered at the service, and the channel of each. */
async function callbacksOf(
  pool: pg.Pool,
  service: PracticeService,
): Promise<{ channel: string; path: string }[]> {
  const { rows } = await pool.query<{ channel: string; record: string }>(
    `select s.channel_id as channel, r.service_id as record
     from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id
     where s.state = 'active' and r.made_at is not null and r.deleted_at is null`,
  );
  const uris = new Map(service.subscriptions.all().map(({ id, uri }) => [String(id), uri]));
  return rows.flatMap(({ channel, record }) => {
    const uri = uris.get(record);
    return uri === undefined ? [] : [{ channel, path: new URL(uri).pathname }];
  });
}

type Run = {
  readonly options: SoakOptions;
  readonly scene: Scene;
  readonly say: (line: string) => void;
  readonly ending: AbortSignal;
};

async function run({ options, scene, say, ending }: Run): Promise<SoakResult> {
  const { slack, pool, bots } = scene;
  const began = new Date();
  const trouble: string[] = [];
  const sender = startSender({
    rate: options.rate,
    addresses: bots.map(({ address }) => address),
    callbacks: scene.callbacks,
    project,
    emails: scene.emails,
    random: Math.random,
    now: Date.now,
  });
  const over = AbortSignal.any([ending, AbortSignal.timeout(options.minutes * 60_000)]);
  const sampling = keepSampling({ scene, sender, say, over, trouble });
  const restarting = keepRestarting({ options, scene, say, over, trouble });
  const spoiling = keepSpoiling({ slack, over });
  const failingOver = keepFailingOver({ options, scene, say, over, trouble });
  const samples = await sampling;
  const { endings, cutShort } = await restarting;
  await spoiling;
  const failovers = await failingOver;
  const lastedMs = Date.now() - began.getTime();
  say('sending has ended; pending events are posted now');
  await sender.stop();
  await drain(pool, trouble);
  for (const bot of bots) {
    if (bot.fell() > 0) trouble.push(`${bot.name} has ended unexpectedly ${bot.fell()} times`);
  }
  const ends = await Promise.all(bots.map((bot) => end(bot, 'SIGTERM', trouble)));
  const figures = await slack.ask('figures', null);
  const delivery = checkDelivery({
    sent: sender.sent,
    events: await readEvents(pool),
    messages: await readLog(slack),
    allowedDoubles: figures.ambiguous + cutShort,
    tooFast: Object.values(figures.tooFast).reduce((sum, count) => sum + count, 0),
  });
  return {
    options,
    began,
    lastedMs,
    samples,
    accepts: sender.latencies,
    posts: await readPosts(pool),
    sender: sender.figures(),
    slack: figures,
    endings: [...endings, ...ends],
    failovers,
    cutShort,
    delivery,
    trouble,
  };
}

type Keeping = {
  readonly scene: Scene;
  readonly say: (line: string) => void;
  readonly over: AbortSignal;
  readonly trouble: string[];
};

/** Waits; returns early, with false, if aborted. */
async function pause(ms: number, over: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal: over }).catch(() => undefined);
  return !over.aborted;
}

async function keepSampling({
  scene,
  sender,
  say,
  over,
  trouble,
}: Keeping & { readonly sender: Sender }): Promise<Sample[]> {
  const sample = makeSampler({ pool: scene.pool, sender, bots: scene.bots, now: Date.now });
  const samples: Sample[] = [];
  for (let goOn = true; goOn; ) {
    goOn = await pause(sampleEveryMs, over);
    const taken = await untilAnswered(sample).catch((error: unknown) => {
      trouble.push(`no sample: ${String(error)}`);
      return null;
    });
    if (!taken) continue;
    samples.push(taken);
    say(lineOf(taken));
  }
  return samples;
}

function lineOf({ accepted, refused, unanswered, accept, post, memory, waiting }: Sample): string {
  const ms = (value: number | null): string => (value === null ? '-' : value.toFixed(0));
  const memories = memory.map(
    ({ bot, report }) =>
      `${bot} ${report === null ? '-' : `${report.resident.toFixed(0)} MiB, ${report.inUse.toFixed(1)} in use`}`,
  );
  return [
    `${accepted} accepted, ${refused} not 2xx, ${unanswered} unanswered`,
    `accept p50/p99 ${ms(accept.p50)}/${ms(accept.p99)} ms`,
    `post p50/p99 ${ms(post.p50)}/${ms(post.p99)} ms`,
    `${waiting} waiting`,
    memories.join(', '),
  ].join('; ');
}

async function keepRestarting({
  options,
  scene,
  say,
  over,
  trouble,
}: Keeping & { readonly options: SoakOptions }): Promise<{ endings: Ending[]; cutShort: number }> {
  const endings: Ending[] = [];
  const cuts: Promise<number>[] = [];
  for (let turn = 0; await pause(options.restartMinutes * 60_000, over); turn += 1) {
    const bot = scene.restarted[turn % scene.restarted.length];
    if (!bot) break;
    const signal = turn % 4 < 2 ? 'SIGKILL' : 'SIGTERM';
    const ending = await end(bot, signal, trouble);
    if (signal === 'SIGKILL') cuts.push(countCutShort(scene.pool));
    endings.push(ending);
    say(`${bot.name} was ended by ${signal} (${ending.ms} ms)`);
    await sleep(1_000);
    await bot.start().catch((error: unknown) => trouble.push(String(error)));
    say(`${bot.name} is running again`);
  }
  const cutShort = (await Promise.all(cuts)).reduce((sum, count) => sum + count, 0);
  return { endings, cutShort };
}

/** Counts the turns cut short by a kill: lanes that are still held by the same claim after a while. */
async function countCutShort(pool: pg.Pool): Promise<number> {
  const before = await untilAnswered(() => claims(pool));
  await sleep(turnTakesMs);
  const after = new Set(await untilAnswered(() => claims(pool)));
  return before.filter((claim) => after.has(claim)).length;
}

/** Retries a query while the database fails over. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + answersWithinMs; ; await sleep(1_000)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

async function claims(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ claim: string }>(
    `select team_id || '/' || channel_id || '/' || fence as claim from plancast.lanes where claimed_until is not null`,
  );
  return rows.map(({ claim }) => claim);
}

async function end(bot: SoakBot, signal: Ending['signal'], trouble: string[]): Promise<Ending> {
  const ended = await bot.end(signal);
  if (signal === 'SIGTERM' && (ended.code !== 0 || ended.ms > stopWithinMs)) {
    trouble.push(`${bot.name} ended with ${ended.code} ${ended.ms} ms after SIGTERM`);
  }
  return { bot: bot.name, signal, ...ended };
}

async function keepSpoiling({ slack, over }: { slack: SlackProcess; over: AbortSignal }): Promise<void> {
  for (let turn = 0; await pause(spoilEveryMs, over); turn += 1) {
    const spoiling = spoilings[turn % spoilings.length];
    if (spoiling) await slack.ask('spoil', spoiling);
  }
}

async function keepFailingOver({
  options: { failoverMinutes },
  scene: { cluster },
  say,
  over,
  trouble,
}: Keeping & { readonly options: SoakOptions }): Promise<Failover[]> {
  const failovers: Failover[] = [];
  if (cluster === null || failoverMinutes === null) return failovers;
  for (let turn = 0; await pause(failoverMinutes * 60_000, over); turn += 1) {
    const way = ways[turn % ways.length];
    if (!way) break;
    try {
      await cluster.untilWhole();
      const { faultAt, switchedAt } = await failOver(cluster, way);
      failovers.push({ way: way.name, ms: switchedAt - faultAt });
      say(`the primary was ${way.name}; another server took over after ${switchedAt - faultAt} ms`);
      await cluster.untilWhole();
    } catch (error) {
      trouble.push(`no failover: ${String(error)}`);
    }
  }
  return failovers;
}

/** Waits until everything is posted. */
async function drain(pool: pg.Pool, trouble: string[]): Promise<void> {
  const deadline = Date.now() + drainWithinMs;
  while (Date.now() < deadline) {
    if ((await waitingEvents(pool)) === 0) return;
    await sleep(1_000);
  }
  trouble.push('not all was posted in time');
}

async function readLog(slack: SlackProcess): Promise<LoggedMessage[]> {
  const messages: LoggedMessage[] = [];
  for (let more = true; more; ) {
    const part = await slack.ask('log', { from: messages.length });
    messages.push(...part.messages);
    more = part.more;
  }
  return messages;
}

async function readPosts(pool: pg.Pool): Promise<{ at: number; ms: number }[]> {
  const { rows } = await pool.query<{ at: number; ms: number }>(
    `select extract(epoch from posted_at)::float8 * 1000 as at,
       extract(epoch from posted_at - received_at)::float8 * 1000 as ms
     from plancast.events where state = 'posted' order by posted_at`,
  );
  return rows;
}
