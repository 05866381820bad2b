import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../support/postgres.ts';
import { setStage } from '../support/stage.ts';
import { environment, runCommand } from './run-command.ts';

const release = (more: Record<string, string | undefined>) =>
  runCommand('src/commands/release.ts', [], { ...environment, ...more });

test('a platform that releases onto an empty database finds all tables created, and a second run does no harm', async () => {
  const database = await emptyDatabase('release');

  const first = await release({ DATABASE_URL: database.url });
  const { rows } = await database.connect().pool.query(
    `select to_regclass('plancast.events') is not null as events, to_regclass('plancast_chores.job') is not null as jobs,
        (select count(*)::integer from plancast_chores.queue where name = 'chores') as queues`,
  );
  const second = await release({ DATABASE_URL: database.url });
  await database.drop();

  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.lines[0]).toBe('Migrated 0001-start.');
  expect(first.lines.at(-1)).toBe('The tables are up to date.');
  expect(rows).toEqual([{ events: true, jobs: true, queues: 1 }]);
  expect(second).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n', stderr: '' });
});

test('rolling back to an older release: a database with only additions is accepted, any other exits with 78', async () => {
  const database = await emptyDatabase('newer release');
  await release({ DATABASE_URL: database.url });
  const { pool } = database.connect();
  const note = (name: string) =>
    pool.query('insert into plancast.migrations (name, timestamp) values ($1, now()::text)', [name]);

  await note('9998-adds');
  const added = await release({ DATABASE_URL: database.url });
  await note('9999-breaking');
  const broken = await release({ DATABASE_URL: database.url });
  await database.drop();

  expect(added).toMatchObject({ code: 0, stdout: 'The tables are up to date.\n' });
  expect(added.stderr).toContain('a newer release has migrated the database');
  expect(broken).toMatchObject({ code: 78, stdout: '' });
  expect(broken.stderr).toBe(
    'A newer release has changed the database so that this one cannot use it (9999-breaking): run the newer release.\n',
  );
});

test('a web process has been idle for a while: a release whose tables older ones cannot use finds it, and changes nothing', async () => {
  const stage = await setStage({ name: 'idle web', bot: false });
  onTestFinished(stage.close);
  const { pid } = await stage.startChild({ env: { ROLE: 'web' } });
  const { pool } = stage.database.connect();
  await pool.query("delete from plancast.migrations where name like '%-breaking'");
  // Idle connections are closed after 10 seconds.
  await sleep(12_000);
  const { code, stdout, stderr } = await release({ DATABASE_URL: stage.database.url });

  expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
  expect(stderr).toContain('the bot still runs: ');
  expect(stderr).toContain(`process ${pid}.`);
});

test('with the embedded database a release has nothing to do, and says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plancast-release-'));

  const { code, lines, stderr } = await release({ DATA_DIR: join(folder, 'data') });
  const made = await readdir(folder);
  await rm(folder, { recursive: true });

  expect(lines).toEqual(['Nothing to do: the embedded database is migrated when the bot starts.']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(made).toEqual([]);
});

test('a release without settings lists what is missing and exits with 78', async () => {
  const { code, stdout, stderr } = await runCommand('src/commands/release.ts', [], {});

  expect(stderr).toContain('SLACK_SIGNING_SECRET is missing: ');
  expect(stderr).not.toContain('    at ');
  expect(stdout).toBe('');
  expect(code).toBe(78);
});
