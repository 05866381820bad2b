import { setTimeout as sleep } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import { type BossOptions, choresQueue, openBoss } from './boss.ts';

/** Work that is done by the clock, not on request. */
export type Chore = {
  readonly name: string;
  /** Five fields, in UTC; minutes at the finest. */
  readonly cron: string;
  readonly run: () => Promise<void>;
  /** May take many minutes: others run meanwhile, and `run` itself sees to it that it ends when the bot does. */
  readonly long?: boolean | undefined;
};

/** How often the queue of chores is looked at, in seconds: where chores are announced, and where they cannot be. */
const look = { notifyPollingIntervalSeconds: 30, pollingIntervalSeconds: 5 };

const tryAgainMs = 5_000;

type ChoreOptions = Pick<BossOptions, 'connection' | 'log'> & { readonly chores: readonly Chore[] };

type Boss = Awaited<ReturnType<typeof openBoss>>;

/** Chores that come round until `stop`, which waits for those that are under way. */
export type ChoreRounds = { readonly stop: () => Promise<void> };

/**
 * Has the chores done by whichever process comes first, one at a time each. They come by the minute, so nobody waits until they are
 * started: where the database does not let them be, that is tried again.
 */
export function startChores({ connection, chores, log }: ChoreOptions): ChoreRounds {
  const ending = new AbortController();
  const starting = start();
  return {
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
        await workOn(boss.boss, { chores, log });
        return boss;
      } catch (error) {
        log.error({ err: error }, 'the chores could not be started; trying again');
        await boss?.close();
        await sleep(tryAgainMs, undefined, { signal: ending.signal }).catch(() => undefined);
      }
    }
    return null;
  }
}

async function workOn(boss: PgBoss, { chores, log }: Pick<ChoreOptions, 'chores' | 'log'>): Promise<void> {
  const byName = new Map(chores.map((chore) => [chore.name, chore]));
  for (const { name, cron } of chores) {
    await boss.schedule(choresQueue, cron, { name }, { key: name, singletonKey: name });
  }
  // All that are due are taken by one look: several are announced as one, and the next look may be half a minute away.
  const taken = { ...look, batchSize: chores.length };
  await boss.work<{ name: string }>(choresQueue, taken, async (jobs) => {
    for (const { data } of jobs) {
      const chore = byName.get(data.name);
      const done = chore?.run().catch((error: unknown) => {
        // It comes round again by itself.
        log.error({ err: error, chore: data.name }, 'a chore failed');
      });
      if (!chore?.long) await done;
    }
  });
}
