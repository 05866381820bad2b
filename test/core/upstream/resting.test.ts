import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  accounts,
  hour,
  minute,
  type Remotes,
  review,
  school,
  setUpRemotes,
  tower,
} from '../../support/remotes.ts';

let world: Remotes;

beforeAll(async () => {
  world = await setUpRemotes('resting');
});
beforeEach(async () => {
  await world.reset();
  await world.link(world.dana, accounts.dana);
});
afterAll(() => world.stage.close());

/** Makes the service answer 429, or another status, and ask to wait this many seconds. */
const askToWait = (endpoint: 'every' | 'create comprehensive' | 'delete', seconds: number, status = 429) =>
  world.service.faults.set({ endpoint, kind: 'answer', status, retryAfter: seconds });

test.each([429, 503])(
  'the service answers %d and asks for five minutes: what I subscribed to is tried again only then, and made',
  async (status) => {
    const fault = askToWait('create comprehensive', 300, status);
    await world.follow(tower);
    await world.passMinutes(4);
    expect(fault.hits()).toBe(1);
    expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });
    fault.remove();

    await world.passMinutes(2);

    expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  },
);

test('several subscriptions wait for a service that asks for an hour: each is tried once more before I read that it is given up', async () => {
  const fault = askToWait('create comprehensive', 3600);
  for (const target of [tower, school] as const) await world.follow(target);
  expect(fault.hits()).toBe(2);

  await world.passMinutes(12);

  expect(fault.hits()).toBe(4);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  await expect.poll(() => world.slack.directMessages(world.dana), { timeout: 5_000 }).toHaveLength(2);
});

test('the service asks to wait while many ended subscriptions are removed there: no further one is tried until then', async () => {
  for (const target of [tower, school, review] as const) await world.follow(target);
  const rows = await world.subscriptions.ofOwner(world.personOf(world.dana));
  const ids = rows.map(({ id }) => id);
  await world.subscriptions.end(ids, 'removed', world.stage.now());
  const fault = askToWait('delete', 150);

  await world.sweep();
  await world.passMinutes(2);

  expect(fault.hits()).toBe(1);
  fault.remove();
  await world.passMinutes(1);
  expect(world.idsOf(accounts.dana)).toEqual([]);
});

test('the service asks for two hours: the hourly check leaves the link alone, and what a person types is tried anyway', async () => {
  await world.follow(tower);
  const fault = askToWait('every', 7_200);
  await world.reconcile();
  expect(fault.hits()).toBe(1);
  world.advance(hour - minute);

  await world.reconcile();

  expect(fault.hits()).toBe(1);
  fault.remove();
  expect(await world.follow(school)).toMatchObject({ state: 'active' });
});
