import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { type BossOptions, choresQueue, openBoss } from './boss.ts';

/** Work that runs on a schedule, not on request. */
export type Chore = ScheduledChore | SharedChore;

type AnyChore = {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Can take many minutes: neither other chores nor its next run wait for it, and `run` itself must end when the bot stops. */
  readonly long?: boolean | undefined;
};

/** Runs in one process at a time. */
type ScheduledChore = AnyChore & {
  /** Cron expression with five fields, in UTC: at most once a minute. */
  readonly cron: string;
};

/** Runs in every process that works, because what it works on is claimed row by row. `run` itself must end when the bot stops. */
type SharedChore = AnyChore & {
  /** The pause between two runs, in milliseconds. */
  readonly everyMs: number;
};

/** How often to poll the chores queue, in seconds: if chores are announced, and if they cannot be. */
const polling = { notifyPollingIntervalSeconds: 60, pollingIntervalSeconds: 5 };

const tryAgainMs = 5_000;

type ChoreOptions = Pick<BossOptions, 'connection' | 'log'> & { readonly chores: readonly Chore[] };

type Boss = Awaited<ReturnType<typeof openBoss>>;

/** Chores that run on schedule until `stop`, which waits for those in progress except `long` ones. */
export type ChoreRounds = {
  /** Whether they run on schedule: false if starting them, or what pg-boss does for them, keeps failing. */
  readonly canRun: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
};

/** Failures count as lasting after this many milliseconds without a success. */
const failingAfterMs = 10_000;

/**
 * Runs each chore on the process that picks it up first, one run at a time. Chores are due once a minute at most, so nobody waits for their
 * start; if the database does not allow it yet, it is retried.
 */
export function startChores({ connection, chores, log }: ChoreOptions): ChoreRounds {
  const ending = new AbortController();
  /** When the first failure since the last success was, in monotonic milliseconds. */
  let failedAt: number | null = null;
  const noteFailure = (): void => {
    failedAt ??= performance.now();
  };
  const noteSuccess = (): void => {
    failedAt = null;
  };
  let open: PgBoss | null = null;
  const scheduled = chores.filter((chore) => 'cron' in chore);
  const starting = start();
  for (const chore of chores) if ('everyMs' in chore) void repeat(chore);
  return {
    async canRun(): Promise<boolean> {
      if (failedAt === null || performance.now() - failedAt < failingAfterMs) return true;
      // A job without a chore shows whether chores can be queued again.
      await open?.send(choresQueue, { name: '' }, { singletonKey: '' }).then(noteSuccess, noteFailure);
      return failedAt === null;
    },
    async stop(): Promise<void> {
      ending.abort();
      await (await starting)?.close();
    },
  };

  async function start(): Promise<Boss | null> {
    while (!ending.signal.aborted) {
      let boss: Boss | null = null;
      try {
        boss = await openBoss({ connection, works: true, log });
        boss.boss.on('error', noteFailure);
        await workOn(boss.boss, { chores: scheduled, log, ran: noteSuccess });
        noteSuccess();
        open = boss.boss;
        return boss;
      } catch (error) {
        noteFailure();
        log.error({ err: error }, 'the chores could not be started; trying again');
        await boss?.close();
        await sleep(tryAgainMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    return null;
  }

  async function repeat({ name, everyMs, run, long }: SharedChore): Promise<void> {
    while (!ending.signal.aborted) {
      await sleep(everyMs, undefined, { signal: ending.signal }).catch(() => undefined);
      if (ending.signal.aborted) return;
      const done = run().catch((error: unknown) => log.error({ err: error, chore: name }, 'a chore failed'));
      if (!long) await done;
    }
  }
}

async function workOn(
  boss: PgBoss,
  {
    chores,
    log,
    ran,
  }: Pick<ChoreOptions, 'log'> & { readonly chores: readonly ScheduledChore[]; readonly ran: () => void },
): Promise<void> {
  const byName = new Map(chores.map((chore) => [chore.name, chore]));
  for (const { name, cron } of chores) {
    await boss.schedule(choresQueue, cron, { name }, { key: name, singletonKey: name });
  }
  // Earlier releases had chores that are part of others now.
  for (const { key } of await boss.getSchedules(choresQueue)) {
    if (!byName.has(key)) await boss.unschedule(choresQueue, key);
  }
  // Take all due chores in one poll: several share one announcement, and the next poll may be half a minute away.
  const taken = { ...polling, batchSize: chores.length };
  await boss.work<{ name: string }>(choresQueue, taken, async (jobs) => {
    ran();
    for (const { data } of jobs) {
      const chore = byName.get(data.name);
      const done = chore?.run().catch((error: unknown) => {
        // Its schedule will run it again.
        log.error({ err: error, chore: data.name }, 'a chore failed');
      });
      if (!chore?.long) await done;
    }
  });
}
