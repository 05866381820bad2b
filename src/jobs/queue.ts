import { type Db, PgBoss } from 'pg-boss';
import type { Channel } from '../core/model/people.ts';

export type Log = {
  readonly warn: (fields: Record<string, unknown>, message: string) => void;
  readonly error: (fields: Record<string, unknown>, message: string) => void;
};

/** Where the database is: one URL, or its parts. */
type ConnectionOptions =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export type QueueOptions = {
  readonly connection: ConnectionOptions;
  /** Whether this process works on jobs, or only adds them. */
  readonly works: boolean;
  readonly log: Log;
};

/**
 * Milliseconds. Without an end to waiting, one connection that is half-open (the server gone without a word) would stop all lanes.
 */
const patience = { connectionTimeoutMillis: 5_000, query_timeout: 6_000 };
/** The queue of lanes and the queue of chores. */
export const queueNames = { lanes: 'lanes', chores: 'chores' } as const;
/** Where processes tell each other that a lane was queued. A hint only: who misses it finds the job when it next looks. */
const wakeChannel = 'plancast_lanes';
const waking = `select pg_notify('${wakeChannel}', '')`;
/** Jobs that a dead worker held are given to another after about 15 seconds: the sign of life is 10 s old, and looked for each 5 s. */
const signs = { heartbeatSeconds: 10, monitorIntervalSeconds: 5, superviseIntervalSeconds: 2 };

/** A lane's job that was taken from the queue. */
export type LaneJob = { readonly attempt: { id: string; retryCount: number }; readonly lane: Channel };

/**
 * The queue. A lane has at most one job waiting and one active (policy `short` with a group of one), so it is worked on by one
 * worker at a time while all others go on.
 */
export async function openQueue({ connection, works, log }: QueueOptions) {
  // What pg-boss does not know of its options, it hands on to `pg`.
  const boss = new PgBoss({
    ...connection,
    ...patience,
    ...{ keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
    application_name: 'plancast queue',
    max: 8,
    supervise: works,
    schedule: works,
    superviseIntervalSeconds: signs.superviseIntervalSeconds,
    monitorIntervalSeconds: signs.monitorIntervalSeconds,
  });
  let closed = false;
  boss.on('error', (error) => {
    // pg's pool counts itself ended before its last connections are: an embedded server that stops then still reaches them.
    if (!closed) log.error({ err: error }, 'queue');
  });
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'queue'));
  await boss.start();
  await boss.createQueue(queueNames.lanes, {
    policy: 'short',
    heartbeatSeconds: signs.heartbeatSeconds,
    // A worker that dies again and again must not make its lane's job disappear.
    retryLimit: 1_000_000,
    deleteAfterSeconds: 60,
  });
  await boss.createQueue(queueNames.chores, { policy: 'short', retryLimit: 3, deleteAfterSeconds: 3_600 });
  let wake: () => void = () => {};
  const listener = works
    ? await boss.getDb().listen?.(
        wakeChannel,
        () => wake(),
        () => wake(),
      )
    : undefined;

  return {
    boss,

    /** Calls back when a lane may have been queued, here or in another process. */
    onQueued(callback: () => void): void {
      wake = callback;
    },

    /**
     * Queues lanes, at once or after a wait in milliseconds. The wait is told as such, so that no two clocks have to agree.
     * @param db runs the statements: the caller's transaction where its rows and these jobs belong together.
     */
    async addLanes(
      lanes: readonly Channel[],
      options: { db?: Db | undefined; afterMs?: number | undefined } = {},
    ): Promise<void> {
      if (lanes.length === 0) return;
      const { db = boss.getDb(), afterMs = 0 } = options;
      await boss.insert(queueNames.lanes, jobsOf(lanes, afterMs), { db });
      if (afterMs <= 0) await db.executeSql(waking);
    },

    /** The statements that `addLanes` would run, for whoever sends them together with others. */
    async statementsFor(lanes: readonly Channel[]): Promise<{ text: string; values: readonly unknown[] }[]> {
      if (lanes.length === 0) return [];
      const statements: { text: string; values: readonly unknown[] }[] = [];
      const executeSql = async (text: string, values: readonly unknown[] = []) => {
        statements.push({ text, values });
        return { rows: [] };
      };
      await boss.insert(queueNames.lanes, jobsOf(lanes, 0), { db: { executeSql } });
      return [...statements, { text: waking, values: [] }];
    },

    /** Takes jobs of lanes that nobody works on, at most `most`. */
    async takeLanes(most: number): Promise<LaneJob[]> {
      const jobs = await boss.fetch<Channel>(queueNames.lanes, {
        batchSize: most,
        groupConcurrency: 1,
        includeMetadata: true,
      });
      return jobs.map(({ id, retryCount, data }) => ({ attempt: { id, retryCount }, lane: data }));
    },

    /** Ends jobs. They leave nothing behind: what happened is written in `events`. */
    async endLanes(jobs: readonly LaneJob[]): Promise<void> {
      await boss.deleteJob(
        queueNames.lanes,
        jobs.map(({ attempt }) => attempt),
      );
    },

    /** Removes the jobs of a workspace that nobody has taken; those that somebody has end by themselves. */
    async forgetLanes(teamId: string): Promise<void> {
      const jobs = await boss.findJobs(queueNames.lanes, { data: { teamId }, queued: true });
      if (jobs.length === 0) return;
      await boss.deleteJob(
        queueNames.lanes,
        jobs.map(({ id }) => id),
      );
    },

    /** Shows that the workers of these jobs are alive. */
    async touchLanes(jobs: readonly LaneJob[]): Promise<void> {
      await boss.touch(
        queueNames.lanes,
        jobs.map(({ attempt }) => attempt),
      );
    },

    async close(): Promise<void> {
      await listener?.close();
      closed = true;
      await boss.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

function jobsOf(lanes: readonly Channel[], afterMs: number) {
  return lanes.map(({ enterpriseId, teamId, channelId }) => {
    const id = `${teamId}/${channelId}`;
    return {
      data: { enterpriseId, teamId, channelId },
      singletonKey: id,
      group: { id },
      ...(afterMs > 0 ? { startAfter: `${afterMs} milliseconds` } : {}),
    };
  });
}

export type Queue = Awaited<ReturnType<typeof openQueue>>;
