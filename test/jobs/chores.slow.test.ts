import { PgBoss } from 'pg-boss';
import { expect, onTestFinished, test } from 'vitest';
import { choresQueue } from '../../src/jobs/boss.ts';
import { startChores } from '../../src/jobs/chores.ts';
import { startDatabaseProxy } from '../faults/support/database-proxy.ts';
import { recordingLog, silentLog } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

test('chores that come due at the same moment are all done by the next look, not one a look', async () => {
  const { url, drop } = await emptyDatabase('chores');
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
  const done: string[] = [];
  const chores = names.map((name) => ({
    name,
    cron: '0 0 1 1 *',
    run: async () => void done.push(name),
  }));
  const connection = { connectionString: url };
  const rounds = startChores({ connection, chores, log: silentLog });
  const sender = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  onTestFinished(async () => {
    await sender.stop();
    await rounds.stop();
    await drop();
  });
  await sender.start();
  await expect.poll(() => sender.getQueue(choresQueue), { timeout: 10_000 }).not.toBeNull();

  for (const name of names) await sender.send(choresQueue, { name }, { singletonKey: name });

  // A look comes every 5 s at most, and one of them takes all.
  await expect.poll(() => new Set(done), { timeout: 12_000 }).toEqual(new Set(names));
});

test('a start of the chores that the database refuses is tried again until it is taken', async () => {
  const { url, drop } = await emptyDatabase('late_chores');
  const proxy = await startDatabaseProxy(url);
  const log = recordingLog();
  const chores = [{ name: 'once a year', cron: '0 0 1 1 *', run: async () => undefined }];
  const sender = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  // Makes the tables, which takes longest.
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
