import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';
import type { Sockets } from './sockets.ts';

type WatchOptions = {
  /** Of all connections that are given up together; undefined where they are not. */
  readonly sockets: Sockets | undefined;
  /** How long the server may take to answer a statement, in milliseconds. */
  readonly answerMs: number;
  readonly log: Pick<Log, 'warn'>;
};

/**
 * A connection that ends while idle is reported by the pool, one that ends while checked out by the client. Either event without a
 * listener ends the process (node-postgres issues 2386 and 3202). Where a statement was not answered, and no other connection of the
 * process that was there before it is either, all of those are given up: they lead to the same server, and would each be waited for in
 * turn.
 */
export function watchEnds(pool: pg.Pool, { sockets, answerMs, log }: WatchOptions): void {
  const openedAt = new WeakMap<pg.PoolClient, number>();
  const ended = (error: Error): void => {
    // An embedded server that stops right after may end a connection before it has read our goodbye.
    if (!pool.ending) log.warn({ code: codeOf(error) }, 'a database connection ended by itself');
  };
  pool.on('error', ended);
  pool.on('connect', (client) => {
    openedAt.set(client, performance.now());
    client.on('error', ended);
  });
  sockets?.addProbe(async (time) => {
    const idle = Array.from({ length: pool.idleCount }, () => answeringClient(pool));
    const clients = await Promise.all(idle);
    return clients.some((client) => client !== null && (openedAt.get(client) ?? time) < time);
  });
  pool.on('release', (error) => {
    if (!isUnanswered(error)) return;
    log.warn({}, 'the database has not answered a statement; its connection is closed');
    void sockets?.giveUp(performance.now() - answerMs).then((connections) => {
      if (connections > 0) log.warn({ connections }, 'the database has stopped answering; connecting again');
    });
  });
}

/** A healthy connection that nobody uses answers at once. */
const probeMs = 250;

/** A free connection that still answers. One that does not is closed, and null comes back. */
async function answeringClient(pool: pg.Pool): Promise<pg.PoolClient | null> {
  const asked = pool.connect().then(async (client) => {
    const question = { text: 'select 1', query_timeout: probeMs };
    const isAnswered = await client.query(question).then(
      () => true,
      () => false,
    );
    client.release(!isAnswered);
    return isAnswered ? client : null;
  });
  // Others may have been quicker, so that there is none free any more.
  const late = sleep(probeMs, null);
  return Promise.race([asked.catch(() => null), late]);
}

/** Whether a statement was not answered within `query_timeout`. */
function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** A server that takes no writes (any more): it was the primary when the connection was opened, and is a standby now. */
const readOnly = '25006';

/**
 * Connections of which one statement shows that they are of no use are closed, instead of going back to the pool.
 *
 * - After `query_timeout`, `pg` stops waiting but keeps the connection, where the next user would wait for the lost answer.
 * - A server that has become a standby may keep its connections. Those that were opened before it said so are not used again.
 */
export function discardingUnusable(pool: pg.Pool): PostgresPool {
  const nameOf = makeStatementNames();
  const openedFor = new WeakMap<pg.PoolClient, number>();
  let primaries = 0;
  pool.on('connect', (client) => {
    openedFor.set(client, primaries);
  });

  async function checkOut(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await pool.connect();
      if (openedFor.get(client) === primaries) return client;
      client.release(true);
    }
  }

  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await checkOut();
      let unusable: Error | undefined;
      const query = async (sql: string, parameters: readonly unknown[]): Promise<pg.QueryResult> => {
        if (isUnanswered(unusable)) throw new Error('the connection has stopped answering');
        try {
          return await client.query({ text: sql, values: [...parameters], name: nameOf(sql) });
        } catch (error) {
          if (isUnanswered(error)) unusable = error;
          if (codeOf(error) === readOnly && openedFor.get(client) === primaries) primaries += 1;
          throw error;
        }
      };
      return {
        // Kysely's type has a second form for cursors, which it calls only with pg-cursor.
        query: query as unknown as Awaited<ReturnType<PostgresPool['connect']>>['query'],
        release: (destroy?: boolean) =>
          client.release(unusable ?? (destroy === true || openedFor.get(client) !== primaries)),
      };
    },
  };
}

/** A statement is prepared after this many runs, and at most this many are, in each connection. */
const prepared = { after: 3, most: 200 };

/**
 * Names for statements that come again and again, so that Postgres need not plan them again each time. What Kysely writes for lists of
 * changing length is another text each time, and stays without.
 */
function makeStatementNames(): (sql: string) => string | undefined {
  const seen = new Map<string, number>();
  const names = new Map<string, string>();
  return (sql) => {
    const name = names.get(sql);
    if (name !== undefined || names.size >= prepared.most) return name;
    const times = (seen.get(sql) ?? 0) + 1;
    if (times < prepared.after) {
      if (seen.size >= prepared.most * 10) seen.clear();
      seen.set(sql, times);
      return undefined;
    }
    seen.delete(sql);
    names.set(sql, `s${names.size + 1}`);
    return names.get(sql);
  };
}
