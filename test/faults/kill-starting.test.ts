import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isMigrated } from '../../src/store/migrate.ts';
import { environment, runCommand } from '../commands/run-command.ts';
import { root } from '../guards/source-files.ts';
import { freePort, startChildBot } from '../support/child-bot.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { startStatementProxy } from './support/statement-proxy.ts';

/** Statements of a migration, including those of the queue. */
const changing =
  /^\s*(create|alter) (table|schema|index|unique|type|function)|insert into "plancast"\."migrations"/i;
/** Number of the statement at which the kill comes, spread over all of them. */
const points = [1, 2, 3, 5, 8, 11, 14, 18];

test.each(points)(
  'M1: a release killed at statement %i of its migration leaves a database that the next release migrates fully',
  async (nth) => {
    const database = await emptyDatabase('kill migrating');
    const proxy = await startStatementProxy(database.url);
    const stopped = proxy.hold({ statement: changing, when: nth % 2 === 0 ? 'before' : 'after', nth });
    const victim = run('src/commands/release.ts', proxy.url);
    await stopped.reached(1, 30_000);
    const next = runCommand('src/commands/release.ts', [], { ...environment, DATABASE_URL: database.url });
    // Before the victim holds the lock there is nothing to wait for.
    await waitsForLock(database.url, next);
    victim.child.kill('SIGKILL');
    await victim.gone;

    expect(await next).toMatchObject({ code: 0, stderr: '' });
    expect(await isMigrated(database.connect().pool)).toBe(true);
    await proxy.close();
    await database.drop();
  },
);

test('M1: of two bots that start at once on an empty database, one is killed during the migration and the other becomes ready', async () => {
  const database = await emptyDatabase('kill starting');
  const proxy = await startStatementProxy(database.url);
  const stopped = proxy.hold({ statement: changing, when: 'after', nth: 6 });
  const victim = run('src/main.ts', proxy.url);
  await stopped.reached(1, 30_000);
  const starting = startChildBot({ ...environment, DATABASE_URL: database.url }, await freePort());
  await waitsForLock(database.url, starting);
  victim.child.kill('SIGKILL');
  await victim.gone;

  const bot = await starting;
  expect((await fetch(`${bot.publicUrl}/readyz`)).status).toBe(200);
  expect(await bot.end('SIGTERM')).toBe(0);
  await proxy.close();
  await database.drop();
});

function run(file: string, databaseUrl: string) {
  const env = { ...environment, DATABASE_URL: databaseUrl, PORT: '0', HOST: '127.0.0.1' };
  const child = spawn(process.execPath, [join(root, file)], { env, cwd: root, stdio: 'ignore' });
  return { child, gone: once(child, 'exit') };
}

/** Waits until the next process waits for the migration lock, or has finished without waiting. */
async function waitsForLock(url: string, next: Promise<unknown>): Promise<void> {
  let over = false;
  const settled = (): void => {
    over = true;
  };
  next.then(settled, settled);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await expect
      .poll(
        async () => {
          const { rows } = await client.query<{ count: number }>(
            `select count(*)::int as count from pg_locks join pg_database d on d.oid = database
             where not granted and datname = current_database()`,
          );
          return over || rows[0]?.count !== 0;
        },
        { timeout: 30_000, interval: 50 },
      )
      .toBe(true);
  } finally {
    await client.end();
  }
}
