import { randomBytes } from 'node:crypto';
import type { Sealing } from '../sealing/sealing.ts';
import { cell, type Db } from '../sql.ts';

// The table `secrets`: secrets of the bot itself, one for the whole installation.

/** Returns a secret, the same in all processes: 32 random bytes by default. Throws `UnsealError` without the key it needs. */
export async function readOrCreateSecret(
  { db, sealing }: { readonly db: Db; readonly sealing: Sealing },
  name: string,
  make = () => randomBytes(32).toString('base64'),
): Promise<string> {
  const place = { table: 'secrets', row: name, column: 'sealed' };
  const made = await sealing.seal(place, make());
  const sealed = await cell(db)<string>`
    insert into plancast.secrets (name, sealed) values (${name}, ${made})
    on conflict (name) do update set name = excluded.name returning sealed`;
  return sealing.open(place, sealed ?? made);
}
