import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  generateTokenKey,
  parseTokenKeys,
  readOrCreateTokenKeys,
  readTokenKeys,
  TokenKeysError,
} from '../../../src/store/sealing/token-keys.ts';

const secretA = Buffer.alloc(32, 'a').toString('base64');
const secretB = Buffer.alloc(32, 'b').toString('base64');
const now = new Date('2026-11-20T09:00:00Z');

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'plancast-keys-'));
});
afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

function faultsOf(text: string): readonly string[] {
  try {
    parseTokenKeys(text);
  } catch (error) {
    if (error instanceof TokenKeysError) return error.faults;
    throw error;
  }
  return [];
}

test('keys are read in order, also with spaces around them or in base64url', () => {
  const url = Buffer.alloc(32, 0xfb).toString('base64url');
  const keys = parseTokenKeys(` new:${secretA} , old-1:${secretB},u:${url}`);
  expect(keys.map(({ id }) => id)).toEqual(['new', 'old-1', 'u']);
  expect(keys[0].secret).toEqual(new Uint8Array(32).fill('a'.charCodeAt(0)));
});

test.each([
  ['nothing', '', /^Key 1 is not an id/],
  ['no id', `:${secretA}`, /^Key 1 has an id that is not/],
  ['no colon', secretA, /^Key 1 is not an id/],
  ['an extra comma', `a:${secretA},`, /^Key 2 is not an id/],
  ['31 bytes', `a:${Buffer.alloc(31).toString('base64')}`, /^Key 1 has 31 bytes where 32 are needed/],
  ['33 bytes', `a:${Buffer.alloc(33).toString('base64')}`, /^Key 1 has 33 bytes where 32 are needed/],
  ['hexadecimal', `a:${'ab'.repeat(32)}`, /^Key 1 has 48 bytes where 32 are needed/],
  ['invalid base64', `a:${secretA.slice(0, 20)}!${secretA.slice(21)}`, /^Key 1 is not base64/],
  ['the same id twice', `a:${secretA},a:${secretB}`, /^Key 2 has the id of another key/],
  ['an id with invalid characters', `a b:${secretA}`, /^Key 1 has an id that is not/],
])('%s is refused with a sentence that says so', (_name, text, sentence) => {
  expect(faultsOf(text)).toEqual([expect.stringMatching(sentence)]);
});

test('all faults are reported at once, without quoting a key', () => {
  const faults = faultsOf(`a:${secretA.slice(4)},b,a:${secretA},a:${secretB}`);
  expect(faults).toHaveLength(3);
  expect(faults.join()).not.toContain(secretA.slice(4, 20));
  expect(faults.join()).not.toContain(secretB.slice(0, 16));
});

test('generated keys can be read, and no two are the same', () => {
  const [one, other] = [generateTokenKey(now), generateTokenKey(now)];
  expect(parseTokenKeys(`${one},${other}`)).toHaveLength(2);
  expect(one).toMatch(/^20261120-[0-9a-f]{6}:/);
});

test('the embedded database gets its own key, readable only by its user, and the same at the next start', async () => {
  const first = await readOrCreateTokenKeys({ dataDir, now });
  const file = join(dataDir, 'token-keys');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readOrCreateTokenKeys({ dataDir, now })).toEqual(first);
  expect(await readdir(dataDir)).toEqual(['token-keys']);
});

test('many simultaneous starts all get the same key', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => readOrCreateTokenKeys({ dataDir, now })));
  expect(new Set(all.map(([{ id }]) => id)).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['token-keys']);
});

test('a damaged key file is named, with what is wrong in it, and left unchanged', async () => {
  const file = join(dataDir, 'token-keys');
  await writeFile(file, 'damaged');
  await chmod(file, 0o600);
  const named = {
    message: `The file token-keys in ${dataDir} (DATA_DIR) is malformed. Key 1 is not an id, a colon and a secret in base64. Correct it, or restore it from a backup.`,
    exitCode: 78,
  };
  await expect(readOrCreateTokenKeys({ dataDir, now })).rejects.toMatchObject(named);
  await expect(readTokenKeys(dataDir)).rejects.toMatchObject(named);
  expect(await readFile(file, 'utf8')).toBe('damaged');
});
