import type pg from 'pg';
import type { Log } from '../../lib/log.ts';
import { sealedKeyPrefix } from '../tables/keyv-records.ts';
import { type SealedPlace, type Sealing, UnsealError } from './sealing.ts';

/** A column of sealed text, and the SQL to read and replace it. */
export type SealedColumn = {
  readonly table: string;
  readonly column: string;
  /** Selects `row` (text: the row's name in its `SealedPlace`) and `sealed` of every sealed text. */
  readonly select: string;
  /** Writes $1 into row $2 if it still contains $3. */
  readonly exchange: string;
};

/** Every place with sealed text. The texts of a column that is missing here would be lost with the key they were sealed with. */
export const sealedColumns: readonly SealedColumn[] = [
  column('secrets', 'sealed', 'name'),
  column('links', 'sealed_access_token', 'id'),
  column('links', 'sealed_refresh_token', 'id'),
  column('link_attempts', 'sealed_verifier', 'id'),
  column('link_attempts', 'sealed_response_url', 'id'),
  column('link_attempts', 'sealed_access_token', 'id'),
  column('link_attempts', 'sealed_refresh_token', 'id'),
  {
    ...column('remotes', 'sealed_key', 'id'),
    select: `select id::text as row, sealed_key as sealed from plancast.remotes where sealed_key is not null and key_column is null`,
  },
  movedKey('sealed_key'),
  movedKey('previous_sealed_key'),
  {
    table: 'keyv',
    column: 'value',
    // Keyv wraps its values: {"value":…,"expires":…}.
    select: `select key as row, value::jsonb ->> 'value' as sealed from plancast.keyv
             where starts_with(key, '${sealedKeyPrefix}')`,
    exchange: `update plancast.keyv set value = jsonb_set(value::jsonb, '{value}', to_jsonb($1::text))::text
               where key = $2 and value::jsonb ->> 'value' = $3`,
  },
];

/** Returns the place of the text in `row` of a column. */
export function placeIn({ table, column }: SealedColumn, row: string): SealedPlace {
  return { table, row, column };
}

/** Keys that an earlier release sealed for a column of `subscriptions`; they are in `remotes` now. */
function movedKey(name: 'sealed_key' | 'previous_sealed_key'): SealedColumn {
  const moved = `key_column = '${name}' and sealed_key`;
  return {
    table: 'subscriptions',
    column: name,
    select: `select subscription_id::text as row, sealed_key as sealed from plancast.remotes where ${moved} is not null`,
    exchange: `update plancast.remotes set sealed_key = $1 where subscription_id = $2 and ${moved} = $3`,
  };
}

function column(table: string, name: string, key: string): SealedColumn {
  return {
    table,
    column: name,
    select: `select ${key}::text as row, ${name} as sealed from plancast.${table} where ${name} is not null`,
    exchange: `update plancast.${table} set ${name} = $1 where ${key} = $2 and ${name} = $3`,
  };
}

/** How many sealed texts were resealed, already had the first key (or were deleted meanwhile), or could not be opened. */
type ResealCount = { resealed: number; current: number; failed: number };

type ResealOptions = { readonly pool: pg.Pool; readonly sealing: Sealing; readonly log: Log };
export type Sealed = { readonly row: string; readonly sealed: string };

const batchSize = 500;

/** Reseals everything under the first key, beside the bot. What cannot be opened stays, is logged with its column, and counted. */
export async function reseal(options: ResealOptions): Promise<ResealCount> {
  const count = { resealed: 0, current: 0, failed: 0 };
  for (const column of sealedColumns)
    for await (const found of allOf(options.pool, column)) count[await resealOne(options, column, found)]++;
  return count;
}

async function* allOf(pool: pg.Pool, { select }: SealedColumn): AsyncGenerator<Sealed> {
  let last = '';
  for (;;) {
    const { rows } = await pool.query<Sealed>(
      `select row, sealed from (${select}) as all_sealed
       where row collate "C" > $1 order by row collate "C" limit ${batchSize}`,
      [last],
    );
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < batchSize) return;
    last = end.row;
  }
}

async function resealOne(
  { pool, sealing, log }: ResealOptions,
  column: SealedColumn,
  { row, sealed: first }: Sealed,
): Promise<keyof ResealCount> {
  const place = placeIn(column, row);
  let sealed: string | undefined = first;
  try {
    while (sealed !== undefined && sealing.keyIdOf(sealed) !== sealing.currentKeyId) {
      const fresh = await sealing.seal(place, await sealing.open(place, sealed));
      const { rowCount } = await pool.query(column.exchange, [fresh, row, sealed]);
      if (rowCount === 1) return 'resealed';
      // It changed meanwhile: a link's tokens were refreshed, or a second run is active.
      sealed = await reread(pool, column, row);
    }
    return 'current';
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error;
    log.warn(
      { table: column.table, column: column.column, reason: error.reason },
      'a sealed text cannot be opened',
    );
    return 'failed';
  }
}

async function reread(pool: pg.Pool, { select }: SealedColumn, row: string): Promise<string | undefined> {
  const { rows } = await pool.query<Sealed>(`select sealed from (${select}) as all_sealed where row = $1`, [
    row,
  ]);
  return rows[0]?.sealed;
}
