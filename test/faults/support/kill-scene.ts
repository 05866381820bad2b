import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import type { ChildBot } from '../../support/child-bot.ts';
import { recordOf } from '../../support/remote-rows.ts';
import { type Stage, setStage } from '../../support/stage.ts';
import { checkDelivery, type DeliveryCounts, itemName, readEvents, type Sent } from '../checker.ts';
import { type StatementProxy, startStatementProxy } from './statement-proxy.ts';

/** A channel that follows a project, and the path of its callback URL. */
export type Followed = { readonly channel: string; readonly path: string };

/** The result of one round of kills. */
export type KillReport = Pick<DeliveryCounts, 'lost' | 'doubled' | 'outOfOrder'> & {
  /** Seconds from the kill to the last post; null if everything was posted before it. */
  readonly secondsToPost: number | null;
  readonly findings: readonly string[];
};

export type KillScene = {
  readonly stage: Stage;
  /** In front of the victim's database. */
  readonly proxy: StatementProxy;
  readonly pool: pg.Pool;
  readonly followed: readonly Followed[];
  /** Returns the process that is killed. */
  readonly victim: () => ChildBot;
  /** The process that survives. */
  readonly other: ChildBot;
  /** Sends a different notification to each channel, all at once. */
  readonly sendToAll: (address: string) => Promise<Sent[]>;
  /** Sends a notification with this id to a channel. */
  readonly sendAs: (notificationId: string, to: Followed, address: string) => Promise<Sent>;
  /** Sends a new notification to a channel. */
  readonly send: (to: Followed, address: string) => Promise<Sent>;
  /** Resends the same notifications until each is accepted, as the service would. */
  readonly sendAgain: (sent: readonly Sent[], address: string) => Promise<Sent[]>;
  /** Suspends the other process during `work`, so that only the victim can do it. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Kills the victim, and restarts it after a second. */
  readonly kill: () => Promise<void>;
  /** Waits until nothing is left to do, and checks the whole delivery. Writes one line to stderr. */
  readonly judge: (point: string, options?: { allowedDoubles?: number }) => Promise<KillReport>;
  readonly close: () => Promise<void>;
};

/** Longer than any takeover may last, so that slow ones are measured too. */
const settledWithinMs = 60_000;
const answerWithinMs = 20_000;

/** Starts two processes on one database, with channels that have subscriptions. The first process is there to be killed. */
export async function setKillScene(name: string, channels: number): Promise<KillScene> {
  const stage = await setStage({ name, bot: false, rateLimit: 'record' });
  const proxy = await startStatementProxy(stage.database.url);
  const close = async (): Promise<void> => {
    await stage.close();
    await proxy.close();
  };
  try {
    return await makeKillScene({ stage, proxy, channels, close });
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeKillScene({
  stage,
  proxy,
  channels,
  close,
}: Pick<KillScene, 'stage' | 'proxy' | 'close'> & { readonly channels: number }): Promise<KillScene> {
  let victim = await stage.startChild({ env: { DATABASE_URL: proxy.url } });
  const port = Number(new URL(victim.publicUrl).port);
  const env = { DATABASE_URL: proxy.url, PUBLIC_URL: victim.publicUrl };
  const followed = await follow(stage, channels);
  // One public URL for both, as behind a load balancer.
  const other = await stage.startChild({ env: { PUBLIC_URL: victim.publicUrl } });
  const { pool } = stage.database.connect();
  const tooFastBefore = stage.slack.tooFast();
  const sent: Sent[] = [];
  let allowed = 0;
  let index = 0;
  let killedAt = 0;
  let doubledBefore = 0;

  async function send(one: Omit<Sent, 'status' | 'at'>, address: string): Promise<Sent> {
    const at = Date.now();
    const status = await notify(`${address}${one.subscription}`, one);
    const tried = { ...one, at, status };
    sent.push(tried);
    return tried;
  }

  function sendAs(notificationId: string, { channel, path }: Followed, address: string): Promise<Sent> {
    index += 1;
    return send({ notificationId, channel, subscription: path, index }, address);
  }

  const sendNew = (to: Followed, address: string) => sendAs(randomUUID(), to, address);

  return {
    stage,
    proxy,
    pool,
    followed,
    victim: () => victim,
    other,
    sendAs,
    send: sendNew,
    sendToAll: (address) => Promise.all(followed.map((to) => sendNew(to, address))),
    sendAgain: (tried, address) =>
      Promise.all(
        tried.map(async (one) => {
          let again = await send(one, address);
          for (const end = Date.now() + answerWithinMs; again.status !== 200 && Date.now() < end; ) {
            await sleep(250);
            again = await send(one, address);
          }
          return again;
        }),
      ),
    async alone(work) {
      process.kill(other.pid, 'SIGSTOP');
      try {
        return await work();
      } finally {
        process.kill(other.pid, 'SIGCONT');
      }
    },
    async kill() {
      await victim.end('SIGKILL');
      killedAt = Date.now();
      proxy.clear();
      await sleep(1_000);
      victim = await stage.startChild({ port, env });
    },
    async judge(point, { allowedDoubles = 0 } = {}) {
      allowed += allowedDoubles;
      await expect
        .poll(() => unfinished(pool), { timeout: settledWithinMs, interval: 200 })
        .toEqual({ events: 0, lanes: 0 });
      const events = await readEvents(pool);
      const { counts, findings } = checkDelivery({
        sent,
        events,
        messages: stage.slack.allMessages,
        allowedDoubles: allowed,
        tooFast: stage.slack.tooFast() - tooFastBefore,
      });
      const last = Math.max(0, ...events.map(({ postedAt }) => postedAt?.getTime() ?? 0));
      const report = {
        lost: counts.lost,
        doubled: counts.doubled - doubledBefore,
        outOfOrder: counts.outOfOrder,
        secondsToPost: killedAt > 0 && last > killedAt ? Math.round((last - killedAt) / 100) / 10 : null,
        findings,
      };
      doubledBefore = counts.doubled;
      process.stderr.write(`${point}: ${JSON.stringify({ ...report, findings: findings.slice(0, 3) })}\n`);
      return report;
    },
    close,
  };
}

/** How many channels one person subscribes; the limit is 30 commands a minute. */
const channelsAPerson = 25;
const email = 'dana@example.com';

/** Subscribes new channels to the project, by people who link first. */
export async function follow(stage: Stage, channels: number): Promise<Followed[]> {
  const { slack, teamId, dana } = stage;
  for (let made = 0; made < channels; made += channelsAPerson) {
    const person = made === 0 ? dana : slack.addUser({ teamId, name: `dana-${made}`, email });
    stage.plans.members.add(person.id);
    await stage.link(person, email);
    const theirs = Math.min(channelsAPerson, channels - made);
    await Promise.all(Array.from({ length: theirs }, () => subscribe(stage, person)));
  }
  const { pool } = stage.database.connect();
  // An earlier release may be running.
  const tables = await pool.query(`select to_regclass('plancast.remotes') is not null as "hasRemotes"`);
  const record = tables.rows[0]?.hasRemotes ? recordOf : 's.service_subscription_id';
  const { rows } = await pool.query<{ channel: string; record: string }>(
    `select channel_id as channel, ${record} as record from plancast.subscriptions s where state = 'active'`,
  );
  const uris = new Map(stage.service.subscriptions.all().map(({ id, uri }) => [String(id), uri]));
  return rows.map(({ channel, record }) => ({ channel, path: new URL(uris.get(record) ?? '').pathname }));
}

async function subscribe({ slack, type }: Stage, person: Stage['dana']): Promise<void> {
  const channel = slack.addChannel({ members: [person] });
  await type(person, '/subscribe project 412-873-550', channel);
  // An earlier release says that somebody subscribed this channel to it.
  await slack.waitForMessage(channel, /to this channel|this channel to/, 20_000);
}

/** Sends a notification about an item of its own; returns the status, or null if no answer came. */
export async function notify(
  uri: string,
  { notificationId, index }: Pick<Sent, 'notificationId' | 'index'>,
): Promise<number | null> {
  try {
    const answer = await fetch(uri, {
      method: 'POST',
      // A kept-alive connection could lead to a killed process.
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(bodyOf(notificationId, index)),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

/** Fewer than the 50 addresses a minute that Slack looks up. A prime, so that the people of a channel differ in turn. */
const people = 23;

/** Returns what the service sends about an added item. */
export function bodyOf(notificationId: string, index: number): Record<string, unknown> {
  const name = itemName(index);
  return {
    Id: notificationId,
    Resource: '/Primes/4021/Projects/412-873-550/',
    Timestamp: new Date().toISOString(),
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      EventType: 'Create',
      // In a channel, each by another person than the one before, or they would join one message by edits.
      User: `person-${index % people}@example.com`,
      IdPath: `root/item-${index}`,
      Path: `Root/Plans/${name}`,
      ItemType: 'File',
      Name: name,
    },
  };
}

/** Counts events that still have to be posted, and lanes that are claimed. */
export async function unfinished(pool: pg.Pool): Promise<{ events: number; lanes: number } | undefined> {
  const { rows } = await pool.query<{ events: number; lanes: number }>(
    `select (select count(*)::int from plancast.events where state = 'pending' and reason is null) as events,
       (select count(*)::int from plancast.lanes where claimed_until > now()) as lanes`,
  );
  return rows[0];
}
