import type { PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import { choresQueue } from './boss.ts';

/** Work that is done by the clock, not on request. */
export type Chore = {
  readonly name: string;
  /** Five fields, in UTC; minutes at the finest. */
  readonly cron: string;
  readonly run: () => Promise<void>;
  /** May take many minutes: others run meanwhile, and `run` itself sees to it that it ends when the bot does. */
  readonly long?: boolean | undefined;
};

/** How often the queue of chores is looked at, in seconds. People wait for one of them: the digest that is due at its hour. */
const lookEverySeconds = 5;

/** Has the chores done by whichever process comes first, one at a time each. */
export async function startChores({
  boss,
  chores,
  log,
}: {
  boss: PgBoss;
  chores: readonly Chore[];
  log: Pick<Log, 'warn' | 'error'>;
}): Promise<void> {
  const byName = new Map(chores.map((chore) => [chore.name, chore]));
  for (const { name, cron } of chores) {
    await boss.schedule(choresQueue, cron, { name }, { key: name, singletonKey: name });
  }
  await boss.work<{ name: string }>(
    choresQueue,
    { pollingIntervalSeconds: lookEverySeconds },
    async (jobs) => {
      for (const { data } of jobs) {
        const chore = byName.get(data.name);
        const done = chore?.run().catch((error: unknown) => {
          // It comes round again by itself.
          log.error({ err: error, chore: data.name }, 'a chore failed');
        });
        if (!chore?.long) await done;
      }
    },
  );
}
