import type { Env } from '../../env.ts';
import { readTokenKeys, type TokenKeys } from '../../store/sealing/token-keys.ts';
import { EndError, exitCodes } from './end-error.ts';

/** Returns the configured keys, or else those generated in `DATA_DIR`; throws an `EndError` if there are none. */
export async function keysOf({ tokenKeys, dataDir }: Env['database']): Promise<TokenKeys> {
  const keys = tokenKeys ?? (await readTokenKeys(dataDir));
  if (keys !== null) return keys;
  throw new EndError(
    `The file token-keys is missing in ${dataDir} (DATA_DIR): restore it from a backup, or set TOKEN_KEYS.`,
    exitCodes.config,
  );
}
