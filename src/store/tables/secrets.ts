import { randomBytes } from 'node:crypto';
import type { Sealing } from '../sealing/sealing.ts';
import { cell, type Db, run } from '../sql.ts';

// The table `secrets`: secrets of the bot itself, one for the whole installation.

/** Returns a secret, the same in all processes: 32 random bytes by default. Throws `UnsealError` without the key it needs. */
export async function readOrCreateSecret(
  { db, sealing }: { readonly db: Db; readonly sealing: Sealing },
  name: string,
  make = () => randomBytes(32).toString('base64'),
): Promise<string> {
  const place = { table: 'secrets', row: name, column: 'sealed' };
  const made = await sealing.seal(place, make());
  await run(db)`
    insert into plancast.secrets (name, sealed) values (${name}, ${made}) on conflict do nothing`;
  const sealed = await cell(db)<string>`select sealed from plancast.secrets where name = ${name}`;
  if (sealed === null) throw new Error(`the secret ${name} was removed while it was read`);
  return sealing.open(place, sealed);
}
