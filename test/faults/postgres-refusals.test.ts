import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject, test } from 'vitest';
import { endure, expectEndured, type FaultWorld, type Ordeal, startFaultWorld } from './endure.ts';

/** Connection limits do not apply to superusers, so the bot runs as an ordinary role here. */
const role = `ordinary_${randomBytes(4).toString('hex')}`;
let world: FaultWorld;
let admin: pg.Client;
let database: string;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: inject('adminUrl') });
  await admin.connect();
  world = await startFaultWorld({
    name: 'postgres refusals',
    through: async (url) => {
      database = new URL(url).pathname.slice(1);
      return asOrdinary(url);
    },
  });
});
afterAll(async () => {
  await world.close();
  // If a test failed, the database is kept, and so is its owner.
  await admin.query(`drop role ${role}`).catch(() => undefined);
  await admin.end();
});

async function asOrdinary(url: string): Promise<string> {
  const changed = new URL(url);
  await admin.query(`create role ${role} login password 'ordinary'`);
  await admin.query(`grant ${changed.username} to ${role}`);
  changed.username = role;
  changed.password = 'ordinary';
  return changed.href;
}

async function endBackends(): Promise<void> {
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = $2',
    [database, role],
  );
}

/** Makes a share of the writes to these tables fail with one of these error codes; a share of 1 fails all. */
async function refuseWrites(errors: readonly string[], share: number): Promise<void> {
  const list = errors.map((code) => `'${code}'`).join(', ');
  await world.pool.query(`
    create or replace function plancast.refuse_write() returns trigger language plpgsql as $$
    declare codes text[] := array[${list}];
    begin
      if random() < ${share} then
        raise exception 'no write' using errcode = codes[1 + floor(random() * array_length(codes, 1))::int];
      end if;
      return null;
    end $$`);
  for (const table of refusing) {
    await world.pool.query(
      `create trigger refuse_write after insert or update or delete on ${table} for each statement execute function plancast.refuse_write()`,
    );
  }
}

async function acceptWrites(): Promise<void> {
  for (const table of refusing) await world.pool.query(`drop trigger refuse_write on ${table}`);
}

const refusing = ['plancast.events', 'plancast.lanes'];
let terminating: NodeJS.Timeout | undefined;
let locking: pg.Client | undefined;

const ordeals: readonly Ordeal[] = [
  {
    name: 'every connection is terminated once a second',
    lastsMs: 6_000,
    begin: async () => {
      terminating = setInterval(() => void endBackends(), 1_000);
      await endBackends();
    },
    end: async () => clearInterval(terminating),
  },
  {
    name: 'no more connections are allowed (53300)',
    lastsMs: 8_000,
    begin: async () => {
      await admin.query(`alter database ${database} connection limit 0`);
      await endBackends();
    },
    end: async () => void (await admin.query(`alter database ${database} connection limit -1`)),
  },
  {
    name: 'the database is read-only (25006)',
    lastsMs: 8_000,
    begin: async () => {
      await admin.query(`alter database ${database} set default_transaction_read_only = on`);
      await endBackends();
    },
    end: async () => {
      await admin.query(`alter database ${database} reset default_transaction_read_only`);
      await endBackends();
    },
  },
  {
    name: 'the disk is full (53100)',
    lastsMs: 8_000,
    begin: () => refuseWrites(['53100'], 1),
    end: acceptWrites,
  },
  {
    name: 'one write in ten deadlocks or cannot be serialized (40P01, 40001)',
    lastsMs: 8_000,
    begin: () => refuseWrites(['40001', '40P01'], 0.1),
    end: acceptWrites,
  },
  {
    name: 'another session locks the events table for 7 s (55P03, 57014)',
    lastsMs: 7_000,
    begin: async () => {
      locking = new pg.Client({ connectionString: world.databaseUrl });
      await locking.connect();
      await locking.query('begin; lock table plancast.events in access exclusive mode');
    },
    end: async () => void (await locking?.end()),
  },
];

test.each(ordeals)(
  '$name: 503 within 3 s, then back to normal with nothing lost and nothing posted twice',
  async (ordeal) => {
    expectEndured(await endure(world, ordeal));
  },
);
