import { setTimeout as sleep } from 'node:timers/promises';
import type { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.ts';
import type { Env } from './env.ts';
import type { Logger } from './lib/log.ts';
import { startDatabaseClock } from './store/clock.ts';
import { type Connection, connect, databaseWarnings, waitForDatabase } from './store/database.ts';
import { migrate } from './store/migrate.ts';
import { refusePooler } from './store/pooler.ts';
import { makeSealing } from './store/sealing/sealing.ts';
import { readOrCreateTokenKeys } from './store/sealing/token-keys.ts';
import { verifyKeys } from './store/sealing/verify-keys.ts';
import { makeSockets } from './store/usable-connections.ts';

type FoundationOptions = {
  readonly env: Env;
  /** The embedded server, which `close` stops; null for an external database. */
  readonly embedded: EmbeddedPostgres | null;
  readonly log: Logger;
  /** Aborts the wait for a database that does not answer. */
  readonly ending: AbortSignal;
};

/** Opens and migrates the database and loads the keys to what is sealed in it. Closes everything again if a step fails. */
export async function layFoundation({ env, embedded, log, ending }: FoundationOptions) {
  const { dataDir, poolSize } = env.database;
  const address = embedded?.connection ?? { connectionString: env.database.url ?? '' };
  const connection: Connection = { ...address, sockets: makeSockets(() => performance.now()) };
  const database = connect({ connection, log, max: poolSize });
  let stopClock = () => {};
  const close = async (): Promise<void> => {
    stopClock();
    await database.close();
    await embedded?.stop();
  };
  try {
    const sleepUnlessEnding = (milliseconds: number) => sleep(milliseconds, undefined, { signal: ending });
    await waitForDatabase(database, { log, now: () => performance.now(), sleep: sleepUnlessEnding });
    if (embedded === null) await refusePooler(connection);
    await migrate({ connection, log, backupIn: dataDir });
    for (const { said, remedy } of await databaseWarnings(database, env.database.connections))
      log.warn({}, `the database ${said}: ${remedy}`);
    const keys = env.database.tokenKeys ?? (await readOrCreateTokenKeys({ dataDir, now: new Date() }));
    const sealing = makeSealing(keys);
    await verifyKeys({ ...database, sealing });
    const clock = await startDatabaseClock({ pool: database.pool, log, monotonic: () => performance.now() });
    stopClock = clock.stop;
    return { connection, database, sealing, clock, sleep, close };
  } catch (error) {
    await close();
    throw error;
  }
}
