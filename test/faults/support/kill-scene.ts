import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import type { ChildBot } from '../../support/child-bot.ts';
import { type Stage, setStage } from '../../support/stage.ts';
import { checkDelivery, type DeliveryCounts, itemName, readEvents, type Sent } from '../checker.ts';
import { type StatementProxy, startStatementProxy } from './statement-proxy.ts';

/** A channel that follows a project, and the path that the service was given for it. */
export type Followed = { readonly channel: string; readonly path: string };

/** What one round of kills has shown. */
export type KillReport = Pick<DeliveryCounts, 'lost' | 'doubled' | 'outOfOrder'> & {
  /** From the kill to the last post, in seconds; null where all was posted before. */
  readonly secondsToPost: number | null;
  readonly findings: readonly string[];
};

export type KillScene = {
  readonly stage: Stage;
  /** Before the victim's database. */
  readonly proxy: StatementProxy;
  readonly pool: pg.Pool;
  readonly followed: readonly Followed[];
  /** The process that is killed. */
  readonly victim: () => ChildBot;
  /** The one that survives. */
  readonly other: ChildBot;
  /** Sends a notification of its own to each channel, all at once. */
  readonly sendToAll: (address: string) => Promise<Sent[]>;
  /** Sends one of this id to a channel. */
  readonly sendAs: (notificationId: string, to: Followed, address: string) => Promise<Sent>;
  /** Sends one of its own to a channel. */
  readonly send: (to: Followed, address: string) => Promise<Sent>;
  /** Sends the same again until each is taken, as the service would. */
  readonly sendAgain: (sent: readonly Sent[], address: string) => Promise<Sent[]>;
  /** Has the other stand still meanwhile, so that what is to be done is the victim's to do. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Kills the victim, and starts it again after a second. */
  readonly kill: () => Promise<void>;
  /** Waits until nothing is left to be done, and holds all together. Writes a line about it. */
  readonly judge: (point: string, options?: { allowedDoubles?: number }) => Promise<KillReport>;
  readonly close: () => Promise<void>;
};

/** Longer than any takeover may last, so that how long it did is seen. */
const settledWithinMs = 60_000;
const answerWithinMs = 20_000;

/**
 * Two processes on one database, and channels that follow something. The first of the two is there to be killed.
 * @param mayRead whether Slack lets the bot read channels, so that it can look for a post whose answer it never heard
 */
export async function setKillScene(
  name: string,
  channels: number,
  { mayRead = false }: { readonly mayRead?: boolean } = {},
): Promise<KillScene> {
  const stage = await setStage({ name, bot: false, rateLimit: 'record' });
  if (mayRead) stage.workspace.botScopes.push('channels:history', 'groups:history');
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
  // One address for both, as behind a load balancer.
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

/** One person may type 30 commands a minute. */
const channelsAPerson = 25;
const email = 'dana@example.com';

/** Has so many new channels follow the project, by people who link first. */
export async function follow(stage: Stage, channels: number): Promise<Followed[]> {
  const { slack, teamId, dana } = stage;
  for (let made = 0; made < channels; made += channelsAPerson) {
    const person = made === 0 ? dana : slack.addUser({ teamId, name: `dana-${made}`, email });
    stage.plans.members.add(person.id);
    await stage.link(person, email);
    const theirs = Math.min(channelsAPerson, channels - made);
    await Promise.all(Array.from({ length: theirs }, () => subscribe(stage, person)));
  }
  const { rows } = await stage.database
    .connect()
    .pool.query<{ channel: string; record: string }>(
      `select channel_id as channel, service_subscription_id as record from plancast.subscriptions where state = 'active'`,
    );
  const uris = new Map(stage.service.subscriptions.all().map(({ id, uri }) => [String(id), uri]));
  return rows.map(({ channel, record }) => ({ channel, path: new URL(uris.get(record) ?? '').pathname }));
}

async function subscribe({ slack, type }: Stage, person: Stage['dana']): Promise<void> {
  const channel = slack.addChannel({ members: [person] });
  await type(person, '/subscribe project 412-873-550', channel);
  await slack.waitForMessage(channel, 'subscribed this channel', 20_000);
}

/** Sends a notification about an item of its own; null where no answer came. */
export async function notify(
  uri: string,
  { notificationId, index }: Pick<Sent, 'notificationId' | 'index'>,
): Promise<number | null> {
  try {
    const answer = await fetch(uri, {
      method: 'POST',
      // A connection that is kept would be one to a process that is gone.
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

/** What the service would send of an item that was added. */
export function bodyOf(notificationId: string, index: number): Record<string, unknown> {
  const name = itemName(index);
  return {
    Id: notificationId,
    Resource: '/Primes/4021/Projects/412-873-550/',
    Timestamp: new Date().toISOString(),
    ExtraInformation: {
      ResourceType: 'ProjectItems',
      EventType: 'Create',
      User: 'sam@example.com',
      IdPath: `root/item-${index}`,
      Path: `Root/Plans/${name}`,
      ItemType: 'File',
      Name: name,
    },
  };
}

/** Events that are to be posted, and lanes that are claimed. */
export async function unfinished(pool: pg.Pool): Promise<{ events: number; lanes: number } | undefined> {
  const { rows } = await pool.query<{ events: number; lanes: number }>(
    `select (select count(*)::int from plancast.events where state = 'pending' and reason is null) as events,
       (select count(*)::int from plancast.lanes where claimed_until > now()) as lanes`,
  );
  return rows[0];
}
