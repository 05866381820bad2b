import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, test } from 'vitest';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts';
import { silentLog } from '../support/log.ts';
import { endure, expectEndured, type FaultWorld, type Ordeal, startFaultWorld } from './endure.ts';

let folder: string;
let server: EmbeddedPostgres;
let world: FaultWorld;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-outage-'));
  // When started as root, the server runs as another user, who needs access.
  await chmod(folder, 0o755);
  server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  world = await startFaultWorld({ name: 'postgres outage', databaseUrl: server.url });
}, 60_000);
afterAll(async () => {
  await world.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function postmaster(): Promise<number> {
  const [pid = ''] = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  if (!/^\d+$/.test(pid)) throw new Error('the server has no process');
  return Number(pid);
}

/** Waits until the server is back. The process that started it restarts it about 2 s after it ended. */
async function untilBack(): Promise<void> {
  for (;;) {
    const answers = await world.pool.query('select 1').then(
      () => true,
      () => false,
    );
    if (answers) return;
    await sleep(50);
  }
}

const ordeals: readonly Ordeal[] = [
  {
    name: 'Postgres is restarted, as by pg_ctl restart -m fast',
    lastsMs: 1_000,
    // The signal that `pg_ctl stop -m fast` sends.
    begin: async () => void process.kill(await postmaster(), 'SIGINT'),
    end: untilBack,
  },
  {
    name: 'Postgres is killed with -9',
    lastsMs: 1_000,
    begin: async () => void process.kill(await postmaster(), 'SIGKILL'),
    end: untilBack,
  },
];

test.each(ordeals)(
  '$name: 503 within 3 s, then back to normal with nothing lost and nothing posted twice',
  async (ordeal) => {
    expectEndured(await endure(world, ordeal));
  },
);
