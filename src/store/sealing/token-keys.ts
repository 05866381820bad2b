import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EndError, exitCodes } from '../../lib/end-error.ts';
import { codeOf } from '../../lib/error-code.ts';
import { syncFolder } from '../../lib/files.ts';
import type { TokenKey } from './sealing.ts';

/** At least one key; the first seals, all open. */
export type TokenKeys = readonly [TokenKey, ...TokenKey[]];

/** What is wrong with a list of keys, one sentence each; none quotes a key. */
export class TokenKeysError extends EndError {
  override readonly name = 'TokenKeysError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(faults.join(' '), exitCodes.config);
    this.faults = faults;
  }
}

const keyBytes = 32;

/** Parses `id:base64-of-32-bytes,…`. Spaces around the parts are allowed. Throws `TokenKeysError`, which names all faults. */
export function parseTokenKeys(text: string): TokenKeys {
  const faults: string[] = [];
  const keys: TokenKey[] = [];
  for (const [index, part] of text.split(',').entries()) {
    const parsed = parseTokenKey(part.trim());
    if (typeof parsed === 'string') faults.push(`Key ${index + 1} ${parsed}`);
    else if (keys.some(({ id }) => id === parsed.id))
      faults.push(`Key ${index + 1} has the id of another key.`);
    else keys.push(parsed);
  }
  const [first, ...more] = keys;
  if (first === undefined || faults.length > 0) throw new TokenKeysError(faults);
  return [first, ...more];
}

/** Generates a random key in the form that `TOKEN_KEYS` takes. Its id is the date and six random hex digits. */
export function generateTokenKey(now: Date): string {
  const id = `${now.toISOString().slice(0, 10).replaceAll('-', '')}-${randomBytes(3).toString('hex')}`;
  return `${id}:${randomBytes(keyBytes).toString('base64')}`;
}

/**
 * Reads the keys in the file `token-keys` of `dataDir`; if it is missing, creates it with one new key and mode 0600. Only for the embedded
 * database, which is in the same folder. Two processes at once end up with the same key. Throws an `EndError` if the file is damaged: it is
 * never replaced, since what was sealed with its keys would be lost.
 */
export async function readOrCreateTokenKeys({
  dataDir,
  now,
}: {
  readonly dataDir: string;
  readonly now: Date;
}): Promise<TokenKeys> {
  const file = join(dataDir, 'token-keys');
  const text = (await readIfThere(file)) ?? (await create(dataDir, file, `${generateTokenKey(now)}\n`));
  return parseFile(dataDir, text);
}

/** Reads the keys in that file; returns null if there is none. Throws an `EndError` if it is damaged. */
export async function readTokenKeys(dataDir: string): Promise<TokenKeys | null> {
  const text = await readIfThere(join(dataDir, 'token-keys'));
  return text === undefined ? null : parseFile(dataDir, text);
}

function parseFile(dataDir: string, text: string): TokenKeys {
  try {
    return parseTokenKeys(text);
  } catch (error) {
    throw error instanceof TokenKeysError ? inFile(dataDir, error) : error;
  }
}

function inFile(dataDir: string, { message, exitCode }: TokenKeysError): EndError {
  const where = `The file token-keys in ${dataDir} (DATA_DIR)`;
  return new EndError(`${where} is malformed. ${message} Correct it, or restore it from a backup.`, exitCode);
}

/** Writes a draft and links it, so that the file is complete or absent, and another process's file is never overwritten. */
async function create(folder: string, file: string, text: string): Promise<string> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(folder);
  return readFile(file, 'utf8');
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the key, or what is wrong with it. */
function parseTokenKey(part: string): TokenKey | string {
  const [id = '', secret, ...more] = part.split(':');
  if (secret === undefined || more.length > 0) return 'is not an id, a colon and a secret in base64.';
  if (!/^[\w-]{1,64}$/.test(id))
    return 'has an id that is not 1 to 64 letters, digits, hyphens and underscores.';
  const bytes = Buffer.from(secret, 'base64');
  const spellings = [bytes.toString('base64'), bytes.toString('base64url')];
  if (!spellings.some((spelling) => withoutPadding(spelling) === withoutPadding(secret)))
    return 'is not base64.';
  if (bytes.length !== keyBytes) return `has ${bytes.length} bytes where ${keyBytes} are needed.`;
  return { id, secret: new Uint8Array(bytes) };
}

function withoutPadding(text: string): string {
  return text.replace(/={1,2}$/, '');
}
