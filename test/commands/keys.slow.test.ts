import { afterEach, beforeEach, expect, test } from 'vitest';
import { placeIn, sealedColumns } from '../../src/store/sealing/reseal.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import * as links from '../../src/store/tables/links.ts';
import { readOrCreateSecret } from '../../src/store/tables/secrets.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { environment, runCommand } from './run-command.ts';

const keyText = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const oldKey = keyText('old', 1);
const newKey = keyText('new', 2);

let database: TestDatabase;
beforeEach(async () => {
  database = await freshDatabase('keys command');
});
afterEach(() => database.drop());

const keys = (args: readonly string[], tokenKeys = `${newKey},${oldKey}`) =>
  runCommand('src/commands/keys.ts', args, {
    ...environment,
    DATABASE_URL: database.url,
    TOKEN_KEYS: tokenKeys,
  });

const sealingWith = (tokenKeys: string) => makeSealing(parseTokenKeys(tokenKeys));

/** Returns all sealed text in the tables, with its place. */
async function everySealed(): Promise<{ place: ReturnType<typeof placeIn>; sealed: string }[]> {
  const found = await Promise.all(
    sealedColumns.map(async (column) => {
      const { rows } = await database.connect().pool.query<{ row: string; sealed: string }>(column.select);
      return rows.map(({ row, sealed }) => ({ place: placeIn(column, row), sealed }));
    }),
  );
  return found.flat();
}

/** Links people, with tokens sealed by a bot that has only the old key. Returns the link ids. */
async function linkPeople(count: number): Promise<string[]> {
  const { db } = database.connect();
  const sealing = sealingWith(oldKey);
  const now = new Date();
  const written = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      links.write(db, sealing, {
        person: { enterpriseId: null, teamId: 'T1', userId: `U${index}` },
        grant: { ...tokens(0), account: null },
        now,
        replaces: () => false,
      }),
    ),
  );
  return written.flatMap((one) => (one.written ? [one.link.id] : []));
}

const tokens = (turn: number) => ({
  accessToken: `access-${turn}`,
  accessExpiresAt: new Date(Date.now() + 3_600_000),
  refreshToken: `refresh-${turn}`,
  refreshExpiresAt: new Date(Date.now() + 86_400_000),
});

test('an admin who wants a new key gets it on stdout alone, with no settings needed', async () => {
  const { code, stdout, stderr } = await runCommand('src/commands/keys.ts', ['new'], {});

  expect(parseTokenKeys(stdout.trimEnd())).toHaveLength(1);
  expect(stdout.split('\n')).toHaveLength(2);
  expect(stderr).toMatch(
    /^To change keys: add it at the end.+restart.+put it first, restart.+`npm run keys -- reseal`\.\n$/,
  );
  expect(code).toBe(0);
});

test('an admin who types anything else gets the usage', async () => {
  const { code, stdout, stderr } = await keys(['reseal', 'all']);

  expect(stderr).toMatch(/^Usage: npm run keys -- new .+\n.+ reseal .+\n$/);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('after resealing, everything is sealed with the first key', async () => {
  await linkPeople(3);
  await readOrCreateSecret({ db: database.connect().db, sealing: sealingWith(oldKey) }, 'x', () => 'y');

  const first = await keys(['reseal']);
  const again = await keys(['reseal']);

  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.lines).toEqual(['7 resealed, 1 under the first key already, 0 cannot be opened']);
  expect(again.lines).toEqual(['0 resealed, 8 under the first key already, 0 cannot be opened']);
  expect(again.code).toBe(0);
});

test('with a key that did not seal the tokens, nothing is changed and the process exits with 78', async () => {
  await linkPeople(2);
  const before = await everySealed();

  const { code, stdout, stderr } = await keys(['reseal'], newKey);

  expect(stderr).toMatch(/^TOKEN_KEYS cannot open what is stored under "old": .+ Nothing was deleted\.\n$/);
  expect(stdout).toBe('');
  expect(code).toBe(78);
  expect(await everySealed()).toEqual(before);
});

test('damaged values are counted and left alone, and the exit code says that the work is incomplete', async () => {
  await linkPeople(2);
  await database
    .connect()
    .pool.query(`update plancast.links set sealed_access_token = 'damaged' where user_id = 'U1'`);

  const { code, lines, stderr } = await keys(['reseal']);

  expect(lines).toEqual(['3 resealed, 1 under the first key already, 1 cannot be opened']);
  expect(stderr).toContain('What could not be opened is unchanged');
  expect(code).toBe(1);
});

test('resealing beside a bot that keeps refreshing tokens loses none', async () => {
  const ids = await linkPeople(12);
  // A second process, restarted with both keys; like a bot, it opens with any key and seals with its first.
  const { db } = database.connect();
  const resealing = sealingWith(`${newKey},${oldKey}`);
  const laggard = sealingWith(`${oldKey},${newKey}`);
  // What the service accepts as a refresh token: each works once, and using one twice would revoke them all.
  const valid = new Map(ids.map((id) => [id, 0]));
  const lost: string[] = [];
  const stopped = new AbortController();
  let refreshes = 0;
  const refresh = async (id: string, sealing: typeof laggard) => {
    await links.inLock(db, sealing, id, async (trx, held) => {
      const turn = valid.get(id) ?? 0;
      if (held.tokens.refreshToken !== `refresh-${turn}`) lost.push(`${id}: ${held.tokens.refreshToken}`);
      valid.set(id, turn + 1);
      await links.saveTokens(trx, sealing, id, { tokens: tokens(turn + 1), now: new Date() });
      refreshes += 1;
    });
  };
  const busy = ids.map(async (id, index) => {
    while (!stopped.signal.aborted) await refresh(id, index % 3 === 0 ? laggard : resealing);
  });
  await expect.poll(() => refreshes).toBeGreaterThan(24);

  const before = refreshes;
  const beside = await keys(['reseal']);
  expect(refreshes).toBeGreaterThan(before);
  stopped.abort();
  await Promise.all(busy);
  const last = await keys(['reseal']);

  expect(beside).toMatchObject({ code: 0, stderr: '' });
  expect(last).toMatchObject({ code: 0, stderr: '' });
  expect(lost).toEqual([]);
  const kept = await Promise.all(
    ids.map(async (id) => (await links.withTokens(db, sealingWith(newKey), id))?.tokens.refreshToken),
  );
  expect(kept).toEqual(ids.map((id) => `refresh-${valid.get(id)}`));
});
