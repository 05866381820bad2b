import type { RecordKind, Records } from '../../lib/records.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { cell, countWritten, type Db, sql } from '../sql.ts';

// The table `keyv`: values that are looked up by key, never listed, counted or claimed. Its name, and JSON with `value` and `expires` (in
// milliseconds since the epoch) for each value, are those of the library Keyv, with which earlier releases kept them.

type SealedRecords<T> = Records<T> & {
  /** Deletes a value if `isOld` accepts it, unless it was replaced meanwhile. */
  readonly deleteOld: (key: string, isOld: (value: T) => boolean) => Promise<void>;
};

/** Sealed namespaces start with this and plain ones cannot, so a key shows whether its value is sealed. */
export const sealedKeyPrefix = 'sealed.';

/** Creates records that are not sealed. A value that does not fit `schema` (written by another release) counts as missing. */
export function makeRecords<T>(db: Db, { namespace, ttlMs, schema }: RecordKind<T>): Records<T> {
  const keyOf = namespaced(namespace);
  return {
    get: async (key) => {
      const value = await read<T>(db, keyOf(key));
      return value === undefined || schema === undefined ? value : schema.safeParse(value).data;
    },
    set: (key, value) => write(db, keyOf(key), value, ttlMs),
    delete: (key) => remove(db, keyOf(key)),
  };
}

/**
 * Creates records whose values are sealed, each for its own key. `get` throws `UnsealError` if a value was changed or moved, and zod's
 * error if it does not fit `schema`: a secret never silently counts as missing.
 */
export function makeSealedRecords<T>(
  db: Db,
  { sealing, namespace, ttlMs, schema }: RecordKind<T> & { readonly sealing: Sealing },
): SealedRecords<T> {
  const plainKeyOf = namespaced(namespace);
  const keyOf = (key: string): string => `${sealedKeyPrefix}${plainKeyOf(key)}`;
  const open = async (key: string): Promise<{ sealed: string; value: T } | undefined> => {
    const sealed = await read<string>(db, keyOf(key));
    if (sealed === undefined) return undefined;
    const value: unknown = JSON.parse(await sealing.open(placeOf(keyOf(key)), String(sealed)));
    return { sealed, value: schema === undefined ? (value as T) : schema.parse(value) };
  };
  return {
    get: async (key) => (await open(key))?.value,
    set: async (key, value) => {
      const sealed = await sealing.seal(placeOf(keyOf(key)), JSON.stringify(value));
      await write(db, keyOf(key), sealed, ttlMs);
    },
    delete: (key) => remove(db, keyOf(key)),
    deleteOld: async (key, isOld) => {
      const found = await open(key);
      if (found && isOld(found.value)) await remove(db, keyOf(key), found.sealed);
    },
  };
}

/** Reads a value that has not expired. */
async function read<T>(db: Db, wholeKey: string): Promise<T | undefined> {
  const text = await cell(db)<string>`select value from plancast.keyv where key = ${wholeKey}`;
  if (text === null) return undefined;
  const { value, expires }: { value?: T; expires?: number | null } = JSON.parse(text);
  return expires != null && expires < Date.now() ? undefined : value;
}

async function write(db: Db, wholeKey: string, value: unknown, ttlMs: number | undefined): Promise<void> {
  const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
  await sql`
    insert into plancast.keyv (key, value) values (${wholeKey}, ${JSON.stringify({ value, expires })})
    on conflict (key) do update set value = excluded.value`.execute(db);
}

/** @param only deletes this value alone, not one that another process has just written */
async function remove(db: Db, wholeKey: string, only?: string): Promise<void> {
  const isSame = only === undefined ? sql`true` : sql`value::jsonb ->> 'value' = ${only}`;
  await sql`delete from plancast.keyv where key = ${wholeKey} and ${isSame}`.execute(db);
}

/** Returns the place of the sealed value of a whole key, which includes the prefix. */
function placeOf(wholeKey: string): { table: 'keyv'; row: string; column: 'value' } {
  return { table: 'keyv', row: wholeKey, column: 'value' };
}

/** Removes up to 10,000 records that expired before `now`; returns how many. */
export const sweepExpired = (db: Db, now: Date): Promise<number> =>
  countWritten(db)`
    delete from plancast.keyv where key in
      (select key from plancast.keyv where (value::jsonb ->> 'expires')::numeric < ${now.getTime()} limit 10000)
    and (value::jsonb ->> 'expires')::numeric < ${now.getTime()}`;

function namespaced(namespace: string): (key: string) => string {
  if (!/^[a-z][a-z-]*$/.test(namespace)) throw new TypeError(`not a namespace: ${namespace}`);
  return (key) => `${namespace}:${key}`;
}
