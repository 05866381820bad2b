import { createServer, connect as dial, type NetConnectOpts, type Server, type Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../src/lib/end-error.ts';
import { connectionName } from '../../src/lib/process.ts';
import {
  type ConnectedDatabase,
  connect,
  databaseLimits,
  databaseWarnings,
  waitForDatabase,
} from '../../src/store/database.ts';
import { all, type Db, sql } from '../../src/store/sql.ts';
import { makeSockets } from '../../src/store/usable-connections.ts';
import { holdCommits } from '../faults/support/hold-commits.ts';
import { recordingLog } from '../support/log.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await freshDatabase('database');
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => database.drop());

function connected(options: Partial<Parameters<typeof connect>[0]> = {}): ConnectedDatabase & {
  readonly log: ReturnType<typeof recordingLog>;
} {
  const log = recordingLog();
  const made = connect({ connection: { connectionString: database.url }, log, ...options });
  closing.push(made.close);
  return { ...made, log };
}

/** Ends every connection to the test's database as an administrator would. */
async function endAllConnections(): Promise<void> {
  const admin = new pg.Client({ connectionString: database.url, application_name: 'administrator' });
  await admin.connect();
  await admin.query(
    `select pg_terminate_backend(pid, 2000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await admin.end();
}

test('a connection that ends while idle is logged, and the next query works', async () => {
  const { pool, ping, log } = connected();
  await ping();
  await endAllConnections();
  await expect
    .poll(() => log.lines)
    .toContainEqual(['a database connection ended unexpectedly', { code: '57P01' }]);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
});

test('a connection that ends while checked out fails its user, not the process, and the next query works', async () => {
  const { pool, ping, log } = connected();
  const client = await pool.connect();
  await endAllConnections();
  await expect.poll(() => log.lines.length).toBeGreaterThan(0);
  await expect(client.query('select 1')).rejects.toThrow();
  client.release();
  await ping();
});

test('a transaction whose connection ends fails as a whole, and the next one works', async () => {
  const { db } = connected({ max: 1 });
  const insert = (db: Db, name: string) =>
    sql`insert into plancast.secrets (name, sealed) values (${name}, 'x')`.execute(db);
  await expect(
    db.transaction().execute(async (transaction) => {
      await insert(transaction, 'lost');
      await endAllConnections();
      await insert(transaction, 'lost too');
    }),
  ).rejects.toThrow();
  await insert(db, 'kept');
  const names = await all(db)`select name from plancast.secrets`;
  expect(names).toEqual([{ name: 'kept' }]);
});

test('a statement times out, and so does the wait for a lock', async () => {
  const { pool, db } = connected({ limits: { ...databaseLimits, statement: 400, lock: 150 } });
  await expect(pool.query('select pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
  const holder = await pool.connect();
  await holder.query('begin; lock table plancast.settings');
  await expect(sql`select from plancast.settings`.execute(db)).rejects.toMatchObject({
    code: '55P03',
  });
  await holder.query('rollback');
  holder.release();
});

test.each([
  {},
  { application_name: 'theirs', statement_timeout: '1', lock_timeout: '1', query_timeout: '1' },
  { idle_in_transaction_session_timeout: '1' },
])(
  'the documented limits apply to every connection, and processes find each other by its name, where the address has %o',
  async (parameters) => {
    const url = new URL(database.url);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    const { pool } = connected({ connection: { connectionString: url.href } });
    const { rows } = await pool.query(
      `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('application_name') as name`,
    );
    expect(rows).toEqual([{ statement: '5s', lock: '3s', idle: '20s', name: connectionName('plancast') }]);
  },
);

test('a connection that stops answering times out, and does not delay the next query', async () => {
  const proxy = await startProxy();
  const { db } = connected({
    connection: { connectionString: proxy.url },
    max: 1,
    limits: { ...databaseLimits, statement: 250, answer: 300 },
  });
  const one = () => sql<{ one: number }>`select 1 as one`.execute(db).then(({ rows }) => rows);
  expect(await one()).toEqual([{ one: 1 }]);
  proxy.swallowWhatIsOpen();
  await expect(one()).rejects.toThrow('Query read timeout');
  expect(await one()).toEqual([{ one: 1 }]);
  proxy.swallowWhatIsOpen();
  await expect(
    db.transaction().execute((transaction) => sql`select 1`.execute(transaction)),
  ).rejects.toThrow();
  expect(await one()).toEqual([{ one: 1 }]);
});

test('connections to a silent server time out in parallel, not one after the other', async () => {
  const proxy = await startProxy();
  const limits = { ...databaseLimits, statement: 250, answer: 300 };
  const connection = {
    connectionString: proxy.url,
    sockets: makeSockets(() => performance.now()),
  };
  const { pool, db } = connected({ connection, limits, max: 5 });
  const other = connected({ connection, limits, max: 1 });
  const ask = () => sql`select pg_sleep(0.05)`.execute(db);
  await Promise.all([ask(), ask(), ask(), ask(), ask(), other.ping()]);
  expect(pool.idleCount).toBe(5);
  proxy.swallowWhatIsOpen();

  await expect(ask()).rejects.toThrow('Query read timeout');

  await Promise.all([ask(), ask(), ask(), ask(), ask(), other.ping()]);
});

test('a statement on a silent server fails as soon as an earlier one has timed out', async () => {
  const proxy = await startProxy();
  const connection = {
    connectionString: proxy.url,
    sockets: makeSockets(() => performance.now()),
  };
  const impatient = connected({ connection, limits: { ...databaseLimits, answer: 300 }, max: 1 });
  const patient = connected({ connection, max: 1 });
  await Promise.all([impatient.ping(), patient.ping()]);
  proxy.swallowWhatIsOpen();
  const began = performance.now();

  const outcomes = await Promise.allSettled([impatient.ping(), patient.ping()]);

  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(performance.now() - began).toBeLessThan(databaseLimits.answer / 2);
  await patient.ping();
});

test('a commit that waits for a lost standby only costs its own connection', async () => {
  const connection = {
    connectionString: database.url,
    sockets: makeSockets(() => performance.now()),
  };
  const impatient = connected({ connection, limits: { ...databaseLimits, answer: 300 }, max: 1 });
  const others = connected({ connection, max: 3 });
  const backends = async () => {
    const asked = [1, 2, 3].map(() => others.pool.query('select pg_backend_pid() as pid, pg_sleep(0.05)'));
    return (await Promise.all(asked)).map(({ rows: [row] }) => Number(row.pid)).toSorted((a, b) => a - b);
  };
  await impatient.ping();
  const before = await backends();
  const held = await holdCommits(database.url, { table: 'plancast.secrets', act: 'insert' });

  const busy = others.pool.query('select 1 as one, pg_sleep(1.5)');
  await expect(
    impatient.pool.query(`insert into plancast.secrets (name, sealed) values ('waiting', 'x')`),
  ).rejects.toThrow('Query read timeout');

  expect((await busy).rows).toMatchObject([{ one: 1 }]);
  expect(await backends()).toEqual(before);
  await held.undo();
});

test('connections to a server that became a standby are not used again', async () => {
  const { pool, db } = connected({ max: 3 });
  const write = () => sql`update plancast.secrets set sealed = 'x' where name = 'none'`.execute(db);
  await Promise.all([write(), write(), write()]);
  // What a connection sees after its server was demoted.
  const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  for (const client of clients) {
    await client.query('set default_transaction_read_only = on');
    client.release();
  }

  await expect(write()).rejects.toMatchObject({ code: '25006' });

  await Promise.all([write(), write(), write()]);
});

test('a bot started before its database waits for it', async () => {
  const time = fakeTime();
  const log = recordingLog();
  let tries = 0;
  const ping = async (): Promise<void> => {
    if (++tries < 10) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  };
  await waitForDatabase({ ping }, { log, ...time });
  expect(tries).toBe(10);
  expect(log.lines).toHaveLength(9);
  expect(log.lines[0]).toEqual(['the database does not answer; trying again', { code: 'ECONNREFUSED' }]);
});

test('a bot whose database does not come up gives up after 60 seconds and says what to check, without the password', async () => {
  const time = fakeTime();
  const { ping } = connected({
    connection: { connectionString: 'postgresql://plancast:hunter2@127.0.0.1:1/plancast' },
  });
  const outcome = await waitForDatabase({ ping }, { log: recordingLog(), ...time }).catch(
    (error: unknown) => error,
  );
  expect(outcome).toMatchObject({ exitCode: exitCodes.unavailable });
  expect(String(outcome)).toContain('nothing listens there');
  expect(String(outcome)).toContain('DATABASE_URL');
  expect(String(outcome)).not.toContain('hunter2');
  expect(time.now()).toBeGreaterThan(55_000);
  expect(time.now()).toBeLessThanOrEqual(60_000);
});

test('a bot with a wrong password says so at once, because waiting does not fix it', async () => {
  const time = fakeTime();
  const log = recordingLog();
  const ping = () => Promise.reject(Object.assign(new Error('refused'), { code: '28P01' }));

  await expect(waitForDatabase({ ping }, { log, ...time })).rejects.toThrow(
    /refuses the user or the password/,
  );

  expect(time.now()).toBe(0);
  expect(log.lines).toEqual([]);
});

test('a server that can lose committed data, or has fewer connections than a process may open, is named; any other is not', async () => {
  const name = new URL(database.url).pathname.slice(1);
  const fine = connected();
  expect(await databaseWarnings(fine, 19)).toEqual([]);
  await fine.pool.query(`alter database ${name} set synchronous_commit = off`);
  await fine.pool.query(`alter database ${name} connection limit 18`);

  const found = await databaseWarnings(connected(), 19);

  expect(found.map(({ said }) => said)).toEqual([
    'can lose confirmed writes in a crash',
    'allows 18 connections, and a process of the bot may open 19',
  ]);
});

function fakeTime(): { now: () => number; sleep: (milliseconds: number) => Promise<void> } {
  let time = 0;
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      time += milliseconds;
    },
  };
}

/** Starts a proxy to the database that can go silent: connections open at that time neither answer nor close. */
async function startProxy(): Promise<{ url: string; swallowWhatIsOpen: () => void }> {
  const target = new URL(database.url);
  const folder = target.searchParams.get('host');
  const to: NetConnectOpts =
    folder === null
      ? { host: target.hostname, port: Number(target.port || 5432) }
      : { path: `${folder}/.s.PGSQL.${target.port}` };
  const sockets: Socket[] = [];
  const pairs: [Socket, Socket][] = [];
  const server: Server = createServer((near) => {
    const far = dial(to);
    sockets.push(near, far);
    pairs.push([near, far]);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far);
    far.pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const url = new URL(target);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    swallowWhatIsOpen: () => {
      for (const [near, far] of pairs.splice(0)) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume();
        far.resume();
      }
    },
  };
}
