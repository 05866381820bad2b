import { PgBoss } from 'pg-boss';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Chore, choresQueue, choresSchema, dueQueue, startChores } from '../../src/jobs/chores.ts';
import { startDatabaseProxy } from '../faults/support/database-proxy.ts';
import { recordingLog, silentLog } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

/** Starts the chores of a bot, and a second pg-boss that sends to their queues. Both end with the test. */
async function startWithSender(
  { url, drop }: Awaited<ReturnType<typeof emptyDatabase>>,
  chores: readonly Chore[],
): Promise<PgBoss> {
  const rounds = startChores({ connection: { connectionString: url }, chores, log: silentLog });
  const sender = new PgBoss({
    connectionString: url,
    schema: choresSchema,
    supervise: false,
    schedule: false,
  });
  onTestFinished(async () => {
    await sender.stop();
    await rounds.stop();
    await drop();
  });
  await sender.start();
  return sender;
}

test('chores that come due at the same moment all run at the next poll, not one per poll', async () => {
  const database = await emptyDatabase('chores');
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
  const done: string[] = [];
  const chores = names.map((name) => ({
    name,
    cron: '0 0 1 1 *',
    run: async () => void done.push(name),
  }));
  const sender = await startWithSender(database, chores);
  await expect.poll(async () => (await sender.getQueue(choresQueue))?.notify, { timeout: 10_000 }).toBe(true);

  for (const name of names) await sender.send(choresQueue, { name }, { singletonKey: name });

  // One poll takes all chores. It comes within 30 s even if the announcement was made before the process listened.
  await expect.poll(() => new Set(done), { timeout: 35_000 }).toEqual(new Set(names));
});

test('a chore that has come due starts at once, not at the next poll', async () => {
  const database = await emptyDatabase('due_chores');
  const done: string[] = [];
  const chores = [{ name: 'due', cron: '0 0 1 1 *', run: async () => void done.push('due') }];
  const sender = await startWithSender(database, chores);
  await expect.poll(async () => (await sender.getQueue(dueQueue))?.notify, { timeout: 10_000 }).toBe(true);

  // What pg-boss does for a schedule; its polls are 10 s apart, or 30 s where jobs are announced.
  await sender.send(dueQueue, { name: choresQueue, data: { name: 'due' }, options: {} });

  await expect.poll(() => done, { timeout: 4_000 }).toEqual(['due']);
});

test('if the database refuses when the chores start, the start is retried until it succeeds', async () => {
  const { url, drop } = await emptyDatabase('late_chores');
  const proxy = await startDatabaseProxy(url);
  const log = recordingLog();
  const chores = [{ name: 'once a year', cron: '0 0 1 1 *', run: async () => undefined }];
  const sender = new PgBoss({
    connectionString: url,
    schema: choresSchema,
    supervise: false,
    schedule: false,
  });
  // Creates the tables, which takes longest.
  await sender.start();
  await proxy.refuse();
  const rounds = startChores({ connection: { connectionString: proxy.url }, chores, log });
  onTestFinished(async () => {
    await sender.stop();
    await rounds.stop();
    await proxy.close();
    await drop();
  });
  const failures = () => log.lines.filter(([message]) => message.includes('could not be started')).length;
  await expect.poll(failures, { timeout: 20_000 }).toBeGreaterThan(0);
  expect(await sender.getQueue(choresQueue)).toBeNull();

  await proxy.heal();
  await expect.poll(() => sender.getQueue(choresQueue), { timeout: 40_000 }).not.toBeNull();
});

test('scheduling chores does not ask Node for languages and zones, whose tables would stay in memory', async () => {
  const formats = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => formats.mockRestore());
  const database = await emptyDatabase('chores_without_intl');
  const done: string[] = [];
  const chores = [{ name: 'minutely', cron: '* * * * *', run: async () => void done.push('minutely') }];
  const sender = await startWithSender(database, chores);
  const scheduled = async () => (await sender.getSchedules(choresQueue)).map(({ key }) => key);
  await expect.poll(scheduled, { timeout: 10_000 }).toEqual(['minutely']);

  // pg-boss judges which chores are due as soon as it runs, and then every 10 s.
  await expect.poll(() => done, { timeout: 90_000 }).not.toEqual([]);
  expect(formats).not.toHaveBeenCalled();
});

test('the tables of another program with an older pg-boss do not stop the chores, and stay as they are', async () => {
  const { url, drop, connect } = await emptyDatabase('other_program');
  const { pool } = connect();
  // What pg-boss 9 leaves, as far as a newer one reads it before it migrates.
  await pool.query(`create schema pgboss; create table pgboss.version (version int primary key);
    insert into pgboss.version values (20); create table pgboss.job (id uuid)`);
  const done: string[] = [];
  const chores = [{ name: 'minutely', cron: '* * * * *', run: async () => void done.push('minutely') }];
  const log = recordingLog();
  const rounds = startChores({ connection: { connectionString: url }, chores, log });
  onTestFinished(async () => {
    await rounds.stop();
    await drop();
  });

  await expect.poll(() => done, { timeout: 90_000 }).not.toEqual([]);

  expect(log.lines).toEqual([]);
  const { rows } = await pool.query(
    `select version, (select count(*)::int from information_schema.tables where table_schema = 'pgboss') as tables from pgboss.version`,
  );
  expect(rows).toEqual([{ version: 20, tables: 2 }]);
});
