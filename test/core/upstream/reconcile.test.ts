import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeReleaseEnded } from '../../../src/core/upstream/release-ended.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import { silentLog } from '../../support/log.ts';
import {
  accounts,
  type Bot,
  dana,
  day,
  minute,
  plans,
  review,
  sam,
  school,
  second,
  startWorld,
  tower,
  type World,
} from './reconcile-world.ts';

let world: World;
let bot: Bot;

beforeAll(async () => {
  world = await startWorld('reconcile');
});
beforeEach(async () => {
  await world.reset();
  bot = world.addBot();
});
afterAll(() => world.close());

/** Dana is linked and the channel follows the tower. */
async function followed(): Promise<Subscription> {
  await world.link(dana, accounts.dana);
  return bot.follow(tower);
}

function rename(name: string): void {
  world.service.act(accounts.sam, { action: 'rename-project', project: 'Harbour Tower', name });
  world.service.act(accounts.sam, { action: 'rename-project', project: name, name: 'Harbour Tower' });
}

function removeAtService(row: Pick<Subscription, 'serviceSubscriptionId'>): void {
  const record = world.service.subscriptions.byId(Number(row.serviceSubscriptionId));
  if (!record) throw new Error('the service has no such record');
  world.service.subscriptions.remove(record);
}

const idsOf = (account: string) => world.recordsOf(account).map(({ id }) => String(id));

/** A remote subscription as other software would make it with Dana's account. */
async function makeElsewhere(callbackUrl: string): Promise<string> {
  const response = await fetch(`${world.service.baseUrl}/notifications/subscriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.service.accessToken(accounts.dana)}` },
    body: new URLSearchParams({ ParentResourceType: 'Projects', ProjectId: '412-873-550', Uri: callbackUrl }),
  });
  const { SubscriptionId } = (await response.json()) as { SubscriptionId: number };
  return String(SubscriptionId);
}

const listForms = ['as the list', 'bare array', '$values', 'empty object', 'not JSON', '404'] as const;

test.each(listForms)(
  'a subscription deleted at the service by other software is made again within an hour (list: %s)',
  async (comprehensiveList) => {
    world.service.switches.set({ comprehensiveList });
    const row = await followed();
    const plain = await bot.follow(review, { comprehensive: false });
    removeAtService(row);
    removeAtService(plain);
    rename('Unheard');

    await bot.reconcile.reconcileAll();

    const [again, plainAgain] = [await world.rowOf(tower), await world.rowOf(review)];
    expect(again).toMatchObject({ id: row.id, state: 'active', reason: null });
    expect(idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId, plainAgain.serviceSubscriptionId]);
    expect(world.service.subscriptions.byId(Number(plainAgain.serviceSubscriptionId))?.comprehensive).toBe(
      false,
    );
    rename('Heard');
    expect(await world.eventsOf(again)).toHaveLength(2);
  },
);

test.each(listForms)('a check that finds everything in order changes nothing (list: %s)', async (form) => {
  world.service.switches.set({ comprehensiveList: form });
  const row = await followed();
  const before = idsOf(accounts.dana);

  await bot.reconcile.reconcileAll();
  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual(before);
  expect(world.creates()).toBe(1);
  expect(await world.posted()).toHaveLength(1);
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
    health: { status: 'Active', oddChecks: 0, failedChecks: 0, problem: null },
  });
});

test('a list of one workspace alone costs no subscription of another', async () => {
  await world.link(dana, accounts.dana);
  world.service.switches.set({ listPrime: 'home prime' });
  const bridge = await bot.follow({ kind: 'project', projectId: '660-118-342' });

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([bridge.serviceSubscriptionId]);
  expect(world.creates()).toBe(1);
});

test('nothing is believed from a service that answers 404 to everything, or not at all', async () => {
  const row = await followed();
  for (const fault of [
    { kind: 'answer', status: 404 },
    { kind: 'answer', status: 503 },
    { kind: 'answer', status: 403 },
    { kind: 'reset' },
    { kind: 'invalid JSON' },
    { kind: 'answer', status: 200, body: '{}', contentType: 'application/json' },
  ] as const) {
    const set = world.service.faults.set({ endpoint: 'every', ...fault });
    await bot.reconcile.reconcileAll();
    expect(set.hits()).toBeGreaterThan(0);
    set.remove();
  }

  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
  expect(await world.posted()).toHaveLength(1);
  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('a service that is away is asked for a few links, not for all', async () => {
  for (let index = 0; index < 8; index++) {
    await world.link({ ...dana, userId: `U0MANY000${index}` }, accounts.dana);
  }
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'answer', status: 503 });

  await bot.reconcile.reconcileAll();

  expect(fault.hits()).toBe(5);
});

test('every link is looked at, however many pages of them there are, and Slack is not asked too fast', async () => {
  await sql`
    insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at)
    select 'T0ACME001', 'T0ACME001', 'U0MANY' || n, 'relink', now(), now() from generate_series(1, 120) as n`.execute(
    world.db,
  );

  await bot.reconcile.reconcileAll();

  expect(new Set(world.directMessages.map(({ userId }) => userId)).size).toBe(120);
  expect(world.sleeps).toHaveLength(120);
  expect(Math.min(...world.sleeps)).toBeGreaterThanOrEqual(600);
});

test('what was unsubscribed while the service was away is removed there within minutes of its return', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await bot.unsubscribe.one(world.asked(dana), tower);
  await bot.releaseEnded();
  expect(fault.hits()).toBe(2);
  fault.remove();

  await bot.releaseEnded();
  await bot.releaseEnded();

  expect(world.recordsOf(accounts.dana)).toEqual([]);
  expect(world.service.log.of('request').filter(({ endpoint }) => endpoint === 'delete')).toHaveLength(3);
});

test('a service that does not answer holds up the minute’s other work for half a minute at most', async () => {
  await world.link(dana, accounts.dana);
  for (const target of [tower, school, review] as const) await bot.follow(target);
  const rows = await world.subscriptions.ofChannel(plans);
  await world.subscriptions.end(
    rows.map(({ id }) => id),
    'removed',
    world.clock.now(),
  );
  const asked: string[] = [];
  const releaseEnded = makeReleaseEnded({
    clock: world.clock,
    log: silentLog,
    subscriptions: world.subscriptions,
    upstream: {
      release: async ({ id }) => {
        asked.push(id);
        world.advance(10 * second);
        return false;
      },
    },
  });

  await releaseEnded();

  expect(asked).toHaveLength(2);
});

test('what was unsubscribed while the service was away is removed there when it is back, also after days', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await bot.unsubscribe.one(world.asked(dana), tower);
  fault.remove();
  world.advance(3 * day);
  expect(world.recordsOf(accounts.dana)).toHaveLength(1);

  await bot.reconcile.reconcileAll();

  expect(world.recordsOf(accounts.dana)).toEqual([]);
  expect(await world.subscriptions.unreleased(new Date(0), 10)).toEqual([]);
});

test('a record that sends to us for nobody is removed, whatever host its address names', async () => {
  const row = await followed();
  await makeElsewhere(`http://127.0.0.1:9/notifications/${world.tokens.make()}`);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('a second record with the address of a live subscription is removed', async () => {
  const row = await followed();
  const [record] = world.recordsOf(accounts.dana);
  await makeElsewhere(record?.uri ?? '');
  expect(world.recordsOf(accounts.dana)).toHaveLength(2);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('what another app or another installation made with my account is never touched', async () => {
  const row = await followed();
  const foreign = [
    await makeElsewhere('http://127.0.0.1:9/hooks/plans'),
    await makeElsewhere(`${world.publicUrl}/notifications/${'A'.repeat(32)}`),
    await makeElsewhere(`${world.publicUrl}/notifications/${world.tokens.make()}/more`),
    await makeElsewhere(`${world.publicUrl}/other/${world.tokens.make()}`),
  ];

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId, ...foreign]);
});

test('a record that may not be deleted keeps nothing else from being set right', async () => {
  const row = await followed();
  removeAtService(row);
  await makeElsewhere(`${world.publicUrl}/notifications/${world.tokens.make()}`);
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 403 });

  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(idsOf(accounts.dana)).toContain((await world.rowOf(tower)).serviceSubscriptionId);
});

test.each(['allowed', '409'] as const)(
  'the bot moves to another address: its subscriptions move along, and nothing is lost on the way (the same twice: %s)',
  async (sameAgainStatus) => {
    world.service.switches.set({ sameAgainStatus });
    const row = await followed();
    expect(await world.subscriptions.someAreElsewhere(world.publicUrl)).toBe(false);
    expect(await world.subscriptions.someAreElsewhere(world.otherUrl)).toBe(true);
    rename('Before');

    await world.addBot({ publicUrl: world.otherUrl }).reconcile.reconcileAll();

    rename('After');
    const [record, ...others] = world.recordsOf(accounts.dana);
    expect(others).toEqual([]);
    expect(record?.uri).toContain(`${world.otherUrl}/notifications/`);
    expect(await world.rowOf(tower)).toMatchObject({
      id: row.id,
      state: 'active',
      callbackBase: world.otherUrl,
      serviceSubscriptionId: String(record?.id),
    });
    expect(await world.eventsOf(row)).toHaveLength(4);
    expect(await world.posted()).toHaveLength(1);
    expect(await world.subscriptions.someAreElsewhere(world.otherUrl)).toBe(false);
  },
);

test('the service is away while the bot moves: the old record stays, and the next hour moves it', async () => {
  const row = await followed();
  const moved = world.addBot({ publicUrl: world.otherUrl });
  const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await moved.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
    callbackBase: world.publicUrl,
    health: { failedChecks: 1, problem: expect.stringContaining('503') },
  });
  rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);

  fault.remove();
  await moved.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({
    callbackBase: world.otherUrl,
    health: { failedChecks: 0, problem: null },
  });
  expect(world.recordsOf(accounts.dana)).toHaveLength(1);
});

test('killed between the row and the create: the subscription is made within minutes, and announced', async () => {
  const link = await world.link(dana, accounts.dana);
  const row = await world.subscriptions.add(world.newRow());
  world.advance(20 * second);
  await bot.finishPending();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });

  world.advance(minute);
  await bot.finishPending();

  expect(await world.rowOf(tower)).toMatchObject({ id: row?.id, state: 'active' });
  expect(world.recordsOf(link.account ?? '')).toHaveLength(1);
  expect(await world.posted()).toEqual([expect.stringContaining('Dana subscribed this channel')]);
});

test('killed between the create and its answer: one record stands afterwards, and it is the one whose Key is known', async () => {
  await world.link(dana, accounts.dana);
  const token = world.tokens.make();
  const row = await world.subscriptions.add({
    ...world.newRow(),
    callbackTokenHash: world.tokens.hash(token),
  });
  const orphan = await makeElsewhere(`${world.publicUrl}/notifications/${token}`);
  // While the answer may still come, the record is the row's.
  await bot.reconcile.reconcileAll();
  expect(idsOf(accounts.dana)).toEqual([orphan]);
  world.service.deliveries.hold();
  rename('Early');

  world.advance(minute);
  await bot.finishPending();
  world.service.deliveries.release();

  const made = await world.rowOf(tower);
  expect(made).toMatchObject({ id: row?.id, state: 'active', sealedKey: expect.any(String) });
  expect(idsOf(accounts.dana)).toEqual([made.serviceSubscriptionId]);
  expect(made.serviceSubscriptionId).not.toBe(orphan);
  expect(await world.eventsOf(made)).toHaveLength(2);
});

test('an answer that comes after the row was finished by another process leaves no second record', async () => {
  await world.link(dana, accounts.dana);
  const fault = world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'delay',
    ms: 400,
    times: 1,
    committed: true,
  });
  const slow = bot.follow(tower);
  await expect.poll(() => world.recordsOf(accounts.dana).length).toBe(1);
  world.advance(minute);
  await world.addBot().finishPending();
  await slow;

  expect(fault.hits()).toBe(1);
  const row = await world.rowOf(tower);
  expect(row.state).toBe('active');
  await expect.poll(() => idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
  expect(await world.posted()).toHaveLength(1);
});

test('a subscription that could not be created for ten minutes is given up, and its owner learns why', async () => {
  await world.link(dana, accounts.dana);
  const fault = world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 503,
    committed: true,
  });
  await bot.follow(tower);
  for (let minutes = 1; minutes <= 9; minutes++) {
    world.advance(minute);
    await bot.finishPending();
  }
  expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });
  expect(world.directMessages).toEqual([]);

  for (let minutes = 10; minutes <= 13; minutes++) {
    world.advance(minute);
    await bot.finishPending();
  }

  expect(fault.hits()).toBe(11);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  expect(world.directMessages).toEqual([
    { userId: dana.userId, text: expect.stringMatching(/I couldn’t subscribe .* and stopped trying\./) },
  ]);
  expect(await world.posted()).toEqual([]);
  // Each of the tries had made one all the same.
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test.each([false, true])(
  'killed in the middle of a replacement (the new record was made: %s): what comes is taken all the while, and it is set right',
  async (wasMade) => {
    const row = await followed();
    const token = world.tokens.make();
    const replacementBegun = {
      callbackTokenHash: world.tokens.hash(token),
      previousSealedKey: null,
      now: world.clock.now(),
    };
    expect(await world.subscriptions.beginReplacement(row, replacementBegun)).toBe(true);
    if (wasMade) await makeElsewhere(`${world.publicUrl}/notifications/${token}`);
    rename('Meanwhile');
    const taken = (await world.eventsOf(row)).length;
    expect(taken).toBe(wasMade ? 4 : 2);

    await bot.repairInterrupted();
    await bot.reconcile.reconcileAll();
    expect((await world.rowOf(tower)).serviceSubscriptionId).toBeNull();

    world.advance(3 * minute);
    await bot.repairInterrupted();

    expect(await world.rowOf(tower)).toMatchObject({
      state: 'active',
      serviceSubscriptionId: row.serviceSubscriptionId,
    });
    expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
    rename('Afterwards');
    expect(await world.eventsOf(row)).toHaveLength(taken + 2);
    expect(await world.subscriptions.interrupted(world.clock.now(), 10)).toEqual([]);
  },
);

test('a member unsubscribes from what was left in the middle of a replacement: its record goes at once', async () => {
  const row = await followed();
  const token = world.tokens.make();
  await world.subscriptions.beginReplacement(row, {
    callbackTokenHash: world.tokens.hash(token),
    previousSealedKey: null,
    now: world.clock.now(),
  });

  await bot.unsubscribe.one(world.asked(dana), tower);

  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('a member changes a subscription while it is being made again: what they asked for holds, and one record stands', async () => {
  const row = await followed();
  removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300, times: 1 });
  const check = bot.reconcile.reconcileAll();
  await expect.poll(async () => (await world.rowOf(tower)).serviceSubscriptionId).toBeNull();

  await world.addBot().follow(tower, { comprehensive: false });
  await check;

  const changed = await world.rowOf(tower);
  expect(changed).toMatchObject({ id: row.id, state: 'active', comprehensive: false });
  expect(world.recordsOf(accounts.dana)).toMatchObject([
    { id: Number(changed.serviceSubscriptionId), comprehensive: false },
  ]);
});

test('a member unsubscribes while it is being made again: nothing is left at the service', async () => {
  const row = await followed();
  removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300, times: 1 });
  const check = bot.reconcile.reconcileAll();
  await expect.poll(async () => (await world.rowOf(tower)).serviceSubscriptionId).toBeNull();

  await bot.unsubscribe.one(world.asked(dana), tower);
  await check;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'removed' });
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('two that check at once make what is missing once, and remove nothing that is needed', async () => {
  await world.link(dana, accounts.dana);
  await world.link(sam, accounts.sam);
  for (const target of [tower, school, review] as const) await bot.follow(target);
  const session = { kind: 'session', sessionId: '845-902-113' } as const;
  await bot.follow(session, { by: sam });
  const targets = [tower, school, review, session];
  for (const target of targets) removeAtService(await world.rowOf(target));
  const bots = [bot, world.addBot(), world.addBot()];

  await Promise.all(bots.flatMap(({ reconcile }) => [reconcile.reconcileAll(), reconcile.reconcileAll()]));

  expect(world.creates()).toBe(8);
  const rows = await Promise.all(targets.map((target) => world.rowOf(target)));
  expect(rows.map(({ state }) => state)).toEqual(['active', 'active', 'active', 'active']);
  expect(new Set([...idsOf(accounts.dana), ...idsOf(accounts.sam)])).toEqual(
    new Set(rows.map(({ serviceSubscriptionId }) => serviceSubscriptionId)),
  );
  expect(world.service.subscriptions.all()).toHaveLength(4);
});

test('a link is checked by one at a time, also between processes', async () => {
  await followed();
  const link = await world.links.of(dana);
  world.service.faults.set({ endpoint: 'list', kind: 'delay', ms: 200 });

  const came = await Promise.all([
    bot.reconcile.reconcileLink(link?.id ?? ''),
    world.addBot().reconcile.reconcileLink(link?.id ?? ''),
  ]);

  expect(new Set(came)).toEqual(new Set(['checked', 'busy']));
  expect(await bot.reconcile.reconcileLink(link?.id ?? '')).toBe('checked');
});

test('two that replace one subscription at once, without the lock between them, leave one record', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };

  const came = await Promise.all([
    bot.upstream.replace(row, wanted),
    world.addBot().upstream.replace(row, wanted),
  ]);

  expect(came).toContainEqual({ outcome: 'done', value: 'active' });
  expect(came).toContainEqual({ outcome: 'done', value: 'overtaken' });
  expect(idsOf(accounts.dana)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('a subscription that was replaced since it was looked at is not replaced again', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };
  expect(await bot.upstream.replace(row, wanted)).toEqual({ outcome: 'done', value: 'active' });

  expect(await bot.upstream.replace(row, wanted)).toEqual({ outcome: 'done', value: 'overtaken' });

  expect(world.creates()).toBe(2);
  expect(idsOf(accounts.dana)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('a subscription that is paused between being looked at and being replaced is left alone', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  await world.subscriptions.pause([row.id], 'unlinked', world.clock.now());

  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };
  expect(await bot.upstream.replace(row, wanted)).toEqual({ outcome: 'done', value: 'overtaken' });

  expect(world.creates()).toBe(1);
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'paused',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
});

test('a state other than Active is shown in the service’s own word once it is seen twice in a row', async () => {
  await followed();
  const shown = async () => {
    world.answers.length = 0;
    await bot.showList(world.asked(dana), { toRemove: false });
    return world.answers.join('\n');
  };
  world.service.switches.set({ recordStatus: 'Inactive' });
  await bot.reconcile.reconcileAll();
  expect(await shown()).not.toContain('Inactive');

  await bot.reconcile.reconcileAll();
  expect(await shown()).toContain('The service reports “Inactive”');
  expect(world.log.lines).toContainEqual([
    'a subscription is not active',
    expect.objectContaining({ status: 'Inactive' }),
  ]);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });

  world.service.switches.set({ recordStatus: 'active' });
  await bot.reconcile.reconcileAll();
  expect(await shown()).not.toContain('Inactive');
});

test('what I follow was deleted without a notification: it ends with a message in the channel', async () => {
  const row = await followed();
  world.service.switches.set({ subscriptionOfDeleted: 'removed' });
  world.service.deliveries.hold();
  world.service.act(accounts.sam, { action: 'delete-project', project: 'Harbour Tower' });

  await bot.reconcile.reconcileAll();
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'ended', reason: 'not found' });
  expect((await world.posted()).slice(1)).toEqual([
    expect.stringContaining('the service can’t find it anymore'),
  ]);
  world.service.deliveries.release();
});
