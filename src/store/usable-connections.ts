import { Socket } from 'node:net';
import type { PostgresPool } from 'kysely';
import type pg from 'pg';
import { within } from '../lib/durations.ts';
import { codeOf } from '../lib/error-code.ts';
import type { Log } from '../lib/log.ts';

type WatchOptions = {
  /** The sockets of all connections that are closed together; undefined if they are not. */
  readonly sockets: Sockets | undefined;
  /** How long the server may take to answer a statement, in milliseconds. */
  readonly answerMs: number;
  readonly log: Pick<Log, 'warn'>;
};

/**
 * Handles the end of connections. The pool reports one that ends while idle, the client one that ends while in use; either event without a
 * listener ends the process (node-postgres issues 2386 and 3202). If a statement is not answered, and no older connection of the process is
 * answered either, all of those are closed: they lead to the same server, and each would have to time out on its own.
 */
export function watchEnds(pool: pg.Pool, { sockets, answerMs, log }: WatchOptions): void {
  const openedAt = new WeakMap<pg.PoolClient, number>();
  const ended = (error: Error): void => {
    // An embedded server that stops right after this may end a connection before it has read our goodbye.
    if (!pool.ending) log.warn({ code: codeOf(error) }, 'a database connection ended unexpectedly');
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

/** Timeout of a probe, in milliseconds. A healthy idle connection answers at once. */
const probeMs = 250;

/** Returns a free connection that still answers. Closes one that does not, and returns null. */
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
  // Others may have taken the last free connection meanwhile, so do not wait for one.
  return within(probeMs, asked).catch(() => null);
}

/** Whether a statement was not answered within `query_timeout`. */
function isUnanswered(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Error code of a server that accepts no writes: it was the primary when the connection was opened, and is a standby now. */
const readOnly = '25006';

/**
 * Wraps a pool for Kysely: a connection that a statement has shown to be unusable is closed, instead of going back to the pool.
 *
 * - After `query_timeout`, `pg` stops waiting but keeps the connection, where the next user would wait for the lost answer.
 * - A server that has become a standby may keep its connections. Those opened before it reported that are not used again.
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

/** A statement is prepared after this many runs; each connection prepares at most this many statements. */
const prepared = { after: 3, most: 200 };

/** Names statements that run repeatedly, so that Postgres plans them once. Those with lists of changing length stay unnamed. */
function makeStatementNames(): (sql: string) => string | undefined {
  const runs = new Map<string, number>();
  const names = new Map<string, string>();
  return (sql) => {
    const name = names.get(sql);
    if (name !== undefined || names.size >= prepared.most) return name;
    const times = (runs.get(sql) ?? 0) + 1;
    if (times < prepared.after) {
      if (runs.size >= prepared.most * 10) runs.clear();
      runs.set(sql, times);
      return undefined;
    }
    runs.delete(sql);
    names.set(sql, `s${names.size + 1}`);
    return names.get(sql);
  };
}

/** Asks the server on idle connections that were opened before `time`; resolves to whether any of them was answered. */
type Probe = (time: number) => Promise<boolean>;

/** The sockets of all database connections of a process. */
export type Sockets = ReturnType<typeof makeSockets>;

/**
 * Tracks the sockets of a process. A server that falls silent, because its machine died or was cut off, leaves all of its connections
 * half-open, and each would be discovered only by a statement that times out. So once one is discovered, all are closed. The probe comes
 * first because a single statement may wait for its commit, as for a standby that is gone, while all others are answered.
 * @param now monotonic time in milliseconds
 */
export function makeSockets(now: () => number) {
  const opened = new Map<Socket, number>();
  const probes: Probe[] = [];
  /** Shared, since many statements can time out at once. */
  let givingUp: Promise<number> | null = null;
  return {
    /** Creates a socket, as the option `stream` of `pg` expects. */
    open(): Socket {
      const socket = new Socket();
      opened.set(socket, now());
      socket.once('close', () => opened.delete(socket));
      return socket;
    },
    addProbe: (probe: Probe): void => void probes.push(probe),
    /** Destroys the sockets opened before `time`, by the given clock, unless the server answers on any. Returns how many. */
    giveUp(time: number): Promise<number> {
      givingUp ??= destroySilent(time).finally(() => {
        givingUp = null;
      });
      return givingUp;
    },
  };

  async function destroySilent(time: number): Promise<number> {
    const answers = await Promise.all(probes.map((probe) => probe(time)));
    if (answers.includes(true)) return 0;
    const old = [...opened].filter(([, at]) => at < time);
    const silent = Object.assign(new Error('The server has stopped answering.'), { code: 'ETIMEDOUT' });
    for (const [socket] of old) socket.destroy(silent);
    return old.length;
  }
}
