import type pg from 'pg';
import { EndError, exitCodes } from '../../lib/end-error.ts';
import type { Db } from '../sql.ts';
import { readOrCreateSecret } from '../tables/secrets.ts';
import { placeIn, type Sealed, type SealedColumn, sealedColumns } from './reseal.ts';
import { type Sealing, UnsealError } from './sealing.ts';

/** `TOKEN_KEYS` cannot open what is stored. Nothing was changed. */
export class WrongTokenKeysError extends EndError {
  override readonly name = 'WrongTokenKeysError';
}

/** Maximum texts tried per column and key, so that a single damaged one does not look like a wrong key. */
const triesPerKey = 3;

/**
 * Proves that the keys open what is stored, without opening all of it: every key that any sealed text names must be among them and open at
 * least one of a few texts. Keeps a secret named `canary`, so that there is always something to open. Throws `WrongTokenKeysError`.
 * @param deps `db`: null for a check that stores nothing
 */
export async function verifyKeys(deps: {
  readonly pool: pg.Pool;
  readonly sealing: Sealing;
  readonly db: Db | null;
}): Promise<void> {
  const { pool, sealing, db } = deps;
  const opens = new Map<string, boolean>();
  for (const column of sealedColumns) {
    for (const { row, sealed } of await someOf(pool, column)) {
      try {
        const keyId = sealing.keyIdOf(sealed);
        if (opens.get(keyId)) continue;
        opens.set(keyId, false);
        await sealing.open(placeIn(column, row), sealed);
        opens.set(keyId, true);
      } catch (error) {
        // Also of text that is not sealed, which fails when it is opened.
        if (!(error instanceof UnsealError)) throw error;
      }
    }
  }
  const failing = [...opens].filter(([, opened]) => !opened).map(([keyId]) => JSON.stringify(keyId));
  if (failing.length > 0) {
    throw new WrongTokenKeysError(
      `TOKEN_KEYS cannot open what is stored under ${failing.join(', ')}: put the key of that id back, after the first. ` +
        'Nothing was deleted.',
      exitCodes.config,
    );
  }
  if (db) await readOrCreateSecret({ db, sealing }, 'canary', () => 'the canary sings');
}

/** Reads a few texts per key: before the first dot is the key's id, and nothing else that varies. */
async function someOf(pool: pg.Pool, { select }: SealedColumn): Promise<Sealed[]> {
  const { rows } = await pool.query<Sealed>(
    `select row, sealed from (
       select row, sealed, row_number() over (partition by split_part(sealed, '.', 1)) as number from (${select}) as all_sealed
     ) as numbered where number <= $1 order by row`,
    [triesPerKey],
  );
  return rows;
}
