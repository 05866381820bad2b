import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { isTransactionPooled } from '../../src/store/pooler.ts';
import { environment, runCommand } from '../commands/run-command.ts';
import { freePort } from '../support/child-bot.ts';
import { emptyDatabase } from '../support/postgres.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);
if (program === undefined) {
  process.stderr.write('pgbouncer is not installed, so poolers are not tested: apt-get install pgbouncer\n');
}
const ignored = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

/** A PgBouncer in front of a database without tables. Gives its address. */
async function startPooler(mode: 'session' | 'transaction', ignoring = ignored): Promise<string> {
  const database = await emptyDatabase(`pooled by ${mode}`);
  const { username, password, pathname, searchParams, hostname } = new URL(database.url);
  const folder = await mkdtemp(join(tmpdir(), 'plancast-pooler-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const host = searchParams.get('host') ?? hostname;
  const name = pathname.slice(1);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
${name} = host=${host} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${ignoring === '' ? '' : `ignore_startup_parameters = ${ignoring}`}
`,
  );
  // It refuses to run as root. The server's socket is for its own user alone, who is postgres then.
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const pooler = spawn(program ?? '', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...account });
  onTestFinished(async () => {
    pooler.kill('SIGINT');
    if (pooler.exitCode === null) await once(pooler, 'exit');
    await rm(folder, { recursive: true });
    await database.drop();
  });
  const url = `postgres://${username}:hunter2@127.0.0.1:${port}/${name}`;
  await answering(`${url}`);
  return url;
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres']));
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const client = new pg.Client({ connectionString: url });
    const found = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (found) return;
    await sleep(100);
  }
  throw new Error('the pooler does not answer');
}

const start = (url: string) =>
  runCommand('src/main.ts', [], { ...environment, DATABASE_URL: url, PORT: '0' });

test.skipIf(program === undefined)(
  'a pooler in transaction mode is refused at the start in one sentence, with 78',
  async () => {
    const url = await startPooler('transaction');

    const { code, stderr } = await start(url);

    expect(await isTransactionPooled({ connectionString: url })).toBe(true);
    expect(stderr).toMatch(
      /^DATABASE_URL leads to a pooler in transaction mode, .+ pool_mode = session in PgBouncer\.\n$/,
    );
    expect(code).toBe(78);
  },
);

test.skipIf(program === undefined)(
  'a pooler that refuses the settings of our connections is reported at once, with the ones to let pass',
  async () => {
    const { code, stderr } = await start(await startPooler('session', ''));

    expect(stderr).toContain(`stands behind a pooler that refuses the settings of this bot’s connections: `);
    expect(stderr).toContain(`ignore_startup_parameters = ${ignored} in PgBouncer.\n`);
    expect(code).toBe(69);
  },
);

test.skipIf(program === undefined)('a pooler in session mode serves, and so does none at all', async () => {
  const url = await startPooler('session');
  const direct = await emptyDatabase('not pooled');

  const released = await runCommand('src/commands/release.ts', [], { ...environment, DATABASE_URL: url });
  const pooled = [
    await isTransactionPooled({ connectionString: url }),
    await isTransactionPooled({ connectionString: direct.url }),
  ];
  await direct.drop();

  expect(released).toMatchObject({ code: 0, stderr: '' });
  expect(pooled).toEqual([false, false]);
});
