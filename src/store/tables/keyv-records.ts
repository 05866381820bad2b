import KeyvPostgres from '@keyv/postgres';
import Keyv from 'keyv';
import type pg from 'pg';
import type { RecordKind, Records } from '../../lib/records.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { batch, type Db, inBatches } from '../sql.ts';

type SealedRecords<T> = Records<T> & {
  /** Deletes a value if `isOld` accepts it, unless it was replaced meanwhile. */
  readonly deleteOld: (key: string, isOld: (value: T) => boolean) => Promise<void>;
};

type RecordOptions<T> = RecordKind<T> & { readonly keyv: Keyv };

/** Sealed namespaces start with this and plain ones cannot, so a key shows whether its value is sealed. */
export const sealedKeyPrefix = 'sealed.';

/** Creates Keyv on the bot's own pool, for values that are only looked up by key: its `delete` is a read and then a delete. */
export function makeKeyv({ pool }: { readonly pool: pg.Pool }): Keyv {
  return new Keyv({
    store: new PooledKeyvPostgres(pool),
    // Without this, `get` returns undefined when the database fails (Keyv 5, read in its source).
    throwOnErrors: true,
    // Keyv does not prefix a key that already begins with the namespace, so two keys could collide. `makeRecords` adds the prefix.
    useKeyPrefix: false,
  });
}

/** Creates records that are not sealed. A value that does not fit `schema` (written by another release) counts as missing. */
export function makeRecords<T>({ keyv, namespace, ttlMs, schema }: RecordOptions<T>): Records<T> {
  const keyOf = namespaced(namespace);
  return {
    get: async (key) => {
      const value = await keyv.get<T>(keyOf(key));
      if (value === undefined || schema === undefined) return value;
      const parsed = schema.safeParse(value);
      return parsed.success ? parsed.data : undefined;
    },
    set: async (key, value) => {
      await keyv.set(keyOf(key), value, ttlMs);
    },
    delete: async (key) => {
      await keyv.delete(keyOf(key));
    },
  };
}

/** Creates sealed records. `get` throws if a value was changed, moved or does not fit: a secret never silently counts as missing. */
export function makeSealedRecords<T>({
  sealing,
  ...options
}: RecordOptions<T> & { readonly sealing: Sealing }): SealedRecords<T> {
  const { keyv, namespace, ttlMs, schema } = options;
  const plainKeyOf = namespaced(namespace);
  const keyOf = (key: string): string => `${sealedKeyPrefix}${plainKeyOf(key)}`;
  const read = async (key: string): Promise<{ sealed: string; value: T } | undefined> => {
    const sealed = await keyv.get<string>(keyOf(key));
    if (sealed === undefined) return undefined;
    const value: unknown = JSON.parse(await sealing.open(placeOfRecord(keyOf(key)), String(sealed)));
    return { sealed, value: schema === undefined ? (value as T) : schema.parse(value) };
  };
  return {
    get: async (key) => (await read(key))?.value,
    set: async (key, value) => {
      const sealed = await sealing.seal(placeOfRecord(keyOf(key)), JSON.stringify(value));
      await keyv.set(keyOf(key), sealed, ttlMs);
    },
    delete: async (key) => {
      await keyv.delete(keyOf(key));
    },
    deleteOld: async (key, isOld) => {
      const found = await read(key);
      if (found && isOld(found.value)) await deleteSame(keyv, keyOf(key), found.sealed);
    },
  };
}

/** Keyv's own `delete` would also remove a value that another process has just written. */
async function deleteSame(keyv: Keyv, wholeKey: string, sealed: string): Promise<void> {
  const store = keyv.store as PooledKeyvPostgres;
  await store.query(`delete from plancast.keyv where key = $1 and value::jsonb ->> 'value' = $2`, [
    wholeKey,
    sealed,
  ]);
}

/** Returns the place of the sealed value of a whole key, which includes the prefix. */
function placeOfRecord(wholeKey: string): { table: 'keyv'; row: string; column: 'value' } {
  return { table: 'keyv', row: wholeKey, column: 'value' };
}

/** Removes records that expired before `now`. Keyv removes only those that are read. */
export const sweepExpired = (db: Db, now: Date): Promise<void> =>
  inBatches(db)`
    delete from plancast.keyv where key in
      (select key from plancast.keyv where (value::jsonb ->> 'expires')::numeric < ${now.getTime()} limit ${batch})
    and (value::jsonb ->> 'expires')::numeric < ${now.getTime()}`;

function namespaced(namespace: string): (key: string) => string {
  if (!/^[a-z][a-z-]*$/.test(namespace)) throw new TypeError(`not a namespace: ${namespace}`);
  return (key) => `${namespace}:${key}`;
}

/**
 * @keyv/postgres creates a pool that is global to the process, is replaced for every other URI, cannot be reached and has no `error`
 * listener (read in 2.2.3), so the end of an idle connection would end the process. This class uses ours instead.
 */
class PooledKeyvPostgres extends KeyvPostgres {
  constructor(pool: pg.Pool) {
    // The constructor calls `connect` before a field of this class can be set, so the pool is passed in the options.
    const options = { schema: 'plancast', table: 'keyv', sharedPool: pool };
    super(options);
  }

  override async connect(): Promise<(sql: string, values?: unknown[]) => Promise<unknown[]>> {
    const { sharedPool } = this.opts as unknown as { sharedPool: pg.Pool };
    return async (sql, values) => {
      // The first statement would create the table at every start; the migrations have already done that.
      if (sql.startsWith('CREATE')) return [];
      return (await sharedPool.query(sql, values)).rows;
    };
  }

  /** The pool belongs to the bot, and is closed with it. */
  override async disconnect(): Promise<void> {}
}
