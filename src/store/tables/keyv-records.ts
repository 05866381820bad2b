import KeyvPostgres from '@keyv/postgres';
import Keyv from 'keyv';
import type pg from 'pg';
import type { z } from 'zod';
import type { Records } from '../../lib/records.ts';
import type { Sealing } from '../sealing/sealing.ts';

export type SealedRecords<T> = Records<T> & {
  /** Removes a value where `isOld` says so of it, unless another has taken its place meanwhile. */
  readonly deleteOld: (key: string, isOld: (value: T) => boolean) => Promise<void>;
};

type RecordOptions<T> = {
  readonly keyv: Keyv;
  /** Lower-case letters and hyphens; what goes before the key, with a colon. */
  readonly namespace: string;
  /** In milliseconds; for ever where left out. */
  readonly ttlMs?: number | undefined;
  readonly schema?: z.ZodType<T> | undefined;
};

/** Sealed namespaces begin with this, plain ones cannot: so what is sealed can be told by its key. */
export const sealedKeyPrefix = 'sealed.';

/**
 * Keyv on the bot's own pool, in `plancast.keyv`. For what is only looked up by its key: never for what is listed, counted or taken
 * once, since Keyv's `delete` is a read and then a delete.
 */
export function makeKeyv({ pool }: { readonly pool: pg.Pool }): Keyv {
  return new Keyv({
    store: new PooledKeyvPostgres(pool),
    // Without this `get` answers a fault of the database with "not there" (Keyv 5, read in its source).
    throwOnErrors: true,
    // Keyv leaves a key alone that already begins with the namespace, so that two keys could meet. `makeRecords` writes the prefix.
    useKeyPrefix: false,
  });
}

/** Records kept as they are. What does not fit `schema` (kept by another release) counts as not there. */
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

/**
 * Records whose values are sealed, each for its own key. `get` throws `UnsealError` where a value was changed or moved, and
 * zod's error where it does not fit `schema`: what is worth sealing is not silently taken for missing.
 */
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

/** Keyv's own `delete` would also remove what another process has just put there. */
async function deleteSame(keyv: Keyv, wholeKey: string, sealed: string): Promise<void> {
  const store = keyv.store as PooledKeyvPostgres;
  await store.query(`delete from plancast.keyv where key = $1 and value::jsonb ->> 'value' = $2`, [
    wholeKey,
    sealed,
  ]);
}

/** Where the sealed value of a whole key (prefix and all) belongs. */
export function placeOfRecord(wholeKey: string): { table: 'keyv'; row: string; column: 'value' } {
  return { table: 'keyv', row: wholeKey, column: 'value' };
}

/** Removes what had expired at `now`, at most 10,000 at a time, and says how many: Keyv itself removes only what is asked for. */
export async function sweepExpired({
  pool,
  now,
}: {
  readonly pool: pg.Pool;
  readonly now: Date;
}): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from plancast.keyv where key in
       (select key from plancast.keyv where (value::jsonb ->> 'expires')::numeric < $1 limit 10000)
     and (value::jsonb ->> 'expires')::numeric < $1`,
    [now.getTime()],
  );
  return rowCount ?? 0;
}

function namespaced(namespace: string): (key: string) => string {
  if (!/^[a-z][a-z-]*$/.test(namespace)) throw new TypeError(`not a namespace: ${namespace}`);
  return (key) => `${namespace}:${key}`;
}

/**
 * @keyv/postgres makes a pool of its own that is global to the process, changes with every other URI, cannot be reached and has no
 * `error` listener (read in 2.2.3): an idle connection's end would end the process. This one asks ours instead.
 */
class PooledKeyvPostgres extends KeyvPostgres {
  constructor(pool: pg.Pool) {
    // The constructor calls `connect` before a field of this class could be set: the pool goes along in the options.
    const options = { schema: 'plancast', table: 'keyv', sharedPool: pool };
    super(options);
  }

  override async connect(): Promise<(sql: string, values?: unknown[]) => Promise<unknown[]>> {
    const { sharedPool } = this.opts as unknown as { sharedPool: pg.Pool };
    return async (sql, values) => {
      // The first statement would make the table at every start; the migrations have made it.
      if (sql.startsWith('CREATE')) return [];
      return (await sharedPool.query(sql, values)).rows;
    };
  }

  /** The pool is the bot's: it is closed with the bot. */
  override async disconnect(): Promise<void> {}
}
