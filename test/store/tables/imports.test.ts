import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Db } from '../../../src/store/sql.ts';
import * as imports from '../../../src/store/tables/imports.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const owner = { enterpriseId: null, teamId: 'T0ACME001', userId: 'U0DANA001' };
const request = { act: 'subscribe', target: { kind: 'project', projectId: '412-873-550' } };
const now = new Date('2026-11-20T09:00:00Z');
const until = new Date('2026-11-20T09:01:00Z');

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase('imports');
  ({ db } = database.connect());
});
afterAll(() => database.drop());

/** Imports one subscription for Dana. Returns its row and the run. */
async function imported(channelId: string, batch = randomUUID()) {
  await imports.add(db, [{ owner, channelId, request, zone: null }], batch, now);
  const [row] = await imports.of(db, batch, owner);
  if (row === undefined) throw new Error('nothing was imported');
  return { id: row.id, batch };
}

test('I press Add before the bot has noted that it asked me, and press again: the subscription is added once', async () => {
  const { id, batch } = await imported('C0PLANS001');
  expect(await imports.claim(db, id, { now, until })).toBe(true);
  await imports.markAsked(db, { owner, batch }, now);
  expect(await imports.claim(db, id, { now, until })).toBe(false);
});

test('the process that was adding it dies: I can press again a minute later', async () => {
  const { id } = await imported('C0PLANS002');
  await imports.claim(db, id, { now, until });
  expect(await imports.claim(db, id, { now: until, until })).toBe(true);
});

test('an operator imports it again while it is being added: the new one is kept, and its owner is asked about it', async () => {
  const first = await imported('C0PLANS003');
  await imports.claim(db, first.id, { now, until });
  const second = await imported('C0PLANS003');
  await imports.remove(db, first.id, first.batch);
  expect(await imports.unasked(db, 10)).toContainEqual(expect.objectContaining({ batch: second.batch }));
  expect(await imports.claim(db, second.id, { now, until })).toBe(true);
});
