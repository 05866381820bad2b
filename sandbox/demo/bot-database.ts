import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** One row of the bot's table `plancast.events`: a notification and its state. */
export type EventRow = {
  readonly seq: number;
  /** Lower case, without braces. */
  readonly notificationId: string;
  readonly serviceSubscriptionId: number;
  readonly channelId: string;
  readonly state: 'pending' | 'posted' | 'filtered' | 'dead';
  readonly reason: string | null;
  readonly messageTs: string | null;
  readonly receivedAt: Date;
  readonly postedAt: Date | null;
};

/** The demo's own connection to the bot's embedded database. */
export type BotDatabase = {
  /** Sets its clock this many milliseconds ahead of the machine's (an absolute offset). Throws what `pg` throws. */
  readonly turnClock: (ahead: number) => Promise<void>;
  /** Returns all events, oldest first. Throws what `pg` throws. */
  readonly events: () => Promise<EventRow[]>;
  readonly close: () => Promise<void>;
};

/**
 * The bot finds these clock functions before Postgres's own. pg-boss names the originals with their schema, but in only one function (as of
 * 12.35.0).
 */
const shadowClock = `
  create schema if not exists practice_clock;
  create table if not exists practice_clock.ahead (by interval not null);
  insert into practice_clock.ahead select interval '0' where not exists (select from practice_clock.ahead);
  create or replace function practice_clock.now() returns timestamptz language sql stable
    as 'select pg_catalog.now() + by from practice_clock.ahead';
  create or replace function practice_clock.clock_timestamp() returns timestamptz language sql volatile
    as 'select pg_catalog.clock_timestamp() + by from practice_clock.ahead';`;
const bossClock = `create or replace function plancast_chores.job_now() returns timestamptz language sql stable
    as 'select practice_clock.now()'`;
const pollMs = 100;
/** Also applies to connections that are already open. `"$user"` stays first, because objects without a schema are created there. */
const takeShadowClock = `alter system set search_path = "$user", practice_clock, pg_catalog, public`;

/**
 * Opens the database of a bot that is ready.
 * @param dataDir the bot's `DATA_DIR`
 * @throws the system's error if no server runs there
 */
export async function openBotDatabase(dataDir: string): Promise<BotDatabase> {
  const folder = await realpath(join(dataDir, 'postgres'));
  const [, , , , host = ''] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n');
  const password = await readFile(join(folder, 'plancast-password'), 'utf8');
  const pool = new pg.Pool({
    host,
    port: 5432,
    user: 'plancast',
    password,
    database: 'plancast',
    max: 2,
    application_name: 'demo',
  });
  // Without a listener, the end of a connection would end the demo.
  pool.on('error', () => undefined);
  await pool.query(shadowClock);
  await pool.query(takeShadowClock);
  await pool.query('select pg_reload_conf()');
  const closing = new AbortController();
  const bossTurned = turnBoss(pool, closing.signal);
  // If the database is gone, the bot has ended and has reported that.
  bossTurned.catch(() => undefined);
  return {
    async turnClock(ahead) {
      await bossTurned;
      await pool.query('update practice_clock.ahead set by = make_interval(secs => $1)', [ahead / 1_000]);
    },
    async events() {
      const { rows } = await pool.query<Omit<EventRow, 'seq' | 'serviceSubscriptionId'> & SqlNumbers>(
        `select seq, notification_id as "notificationId", service_subscription_id as "serviceSubscriptionId",
                channel_id as "channelId", state, reason, message_ts as "messageTs",
                received_at as "receivedAt", posted_at as "postedAt"
           from plancast.events order by seq`,
      );
      // `pg` returns a bigint as a string.
      return rows.map((row) => ({
        ...row,
        seq: Number(row.seq),
        serviceSubscriptionId: Number(row.serviceSubscriptionId),
      }));
    },
    async close() {
      closing.abort();
      await pool.end();
    },
  };
}

/** The bot is ready before pg-boss, which creates its function on its first start. */
async function turnBoss(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { rows } = await pool.query<{ made: boolean }>(
      `select to_regprocedure('plancast_chores.job_now()') is not null as made`,
    );
    if (rows[0]?.made) {
      await pool.query(bossClock);
      return;
    }
    await sleep(pollMs, undefined, { signal });
  }
}

type SqlNumbers = { readonly seq: string; readonly serviceSubscriptionId: string };
