import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './child-bot.ts';
import { emptyDatabase } from './postgres.ts';

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync);
/** Why there is no pooler here; null if there is one. */
export const poolerNeeds = program === undefined ? 'pgbouncer (apt-get install pgbouncer)' : null;

/** Startup parameters that PgBouncer has to ignore. */
export const ignored = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout';

export type Pooler = { readonly url: string; readonly stop: () => Promise<void> };

/** Starts a PgBouncer in front of a database without tables, changed by a statement in which `%` stands for its name. */
export async function startPooler(
  mode: 'session' | 'transaction',
  ignoring = ignored,
  statement = 'select 1',
): Promise<Pooler> {
  const database = await emptyDatabase(`pooled by ${mode}`);
  await database.connect().pool.query(statement.replaceAll('%', new URL(database.url).pathname.slice(1)));
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
  // PgBouncer refuses to run as root, and only the server's own user, then postgres, can use its socket.
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  const pooler = spawn(program ?? '', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore', ...account });
  const stop = async (): Promise<void> => {
    pooler.kill('SIGINT');
    if (pooler.exitCode === null) await once(pooler, 'exit');
    await rm(folder, { recursive: true });
    await database.drop();
  };
  const url = `postgres://${username}:hunter2@127.0.0.1:${port}/${name}`;
  await answering(url);
  return { url, stop };
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
