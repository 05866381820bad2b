import { setTimeout as sleep } from 'node:timers/promises';
import * as servedAddress from '../../store/tables/served-address.ts';
import type { Bot } from '../bot.ts';

/** A process, and the address that it would serve. */
type StandbyBot = Pick<Bot, 'db' | 'log'> & { readonly publicUrl: string };

/** Returns whether a bot at this address must stand by, and logs why. A database that no bot has used serves this address from now on. */
export async function mustStandBy({ db, log, publicUrl }: StandbyBot): Promise<boolean> {
  const served = await servedAddress.read(db);
  if (!served) await servedAddress.takeOver(db, publicUrl);
  if (servedAddress.whyStandBy(served, publicUrl) === null) return false;
  const why = served?.restored ? 'was restored from a backup' : 'serves another address than PUBLIC_URL';
  const facts = { serves: served?.address, address: publicUrl };
  log.warn(facts, `standing by: the database ${why}; \`npm run take-over\` ends that`);
  return true;
}

type Watch = {
  readonly everyMs: number;
  readonly signal: AbortSignal;
  readonly standsBy: () => boolean;
  /** Called when that has to change. If it rejects, so does the watch, which ends the process as a failed start does. */
  readonly change: () => Promise<void>;
};

/** Watches until the signal whether a bot must begin or end to stand by. */
export async function watchStandby(
  { db, publicUrl }: StandbyBot,
  { everyMs, signal, standsBy, change }: Watch,
): Promise<void> {
  while (await sleep(everyMs, true, { signal }).catch(() => false)) {
    const served = await servedAddress.read(db).catch(() => null);
    // Without the database, everything stays as it is.
    if (served && (servedAddress.whyStandBy(served, publicUrl) !== null) !== standsBy()) await change();
  }
}
