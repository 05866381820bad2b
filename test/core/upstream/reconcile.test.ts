import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { showList } from '../../../src/core/subscribing/show-list.ts';
import { unsubscribeOne } from '../../../src/core/subscribing/unsubscribe.ts';
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

/** Links Dana and subscribes the channel to the tower. */
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
  if (!record) throw new Error('the service has no such subscription');
  world.service.subscriptions.remove(record);
}

/** Makes the service answer 500 whenever this remote subscription is asked for. */
function breakAtService(endpoint: 'get' | 'delete', id: string | null): void {
  world.service.faults.set({ endpoint, kind: 'answer', status: 500, pathEnd: `/${id}` });
}

const asked = (endpoint: string) =>
  world.service.log.of('request').filter((request) => request.endpoint === endpoint).length;
const idsOf = (account: string) => world.recordsOf(account).map(({ id }) => String(id));

/** Makes a remote subscription with Dana's account, as other software would. */
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
  'a subscription that other software deleted at the service is created again within an hour (list: %s)',
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
    health: { status: 'Active', oddChecks: 0, failedChecks: 0 },
  });
});

test('a list that covers only one workspace does not cost another its subscriptions', async () => {
  await world.link(dana, accounts.dana);
  world.service.switches.set({ listPrime: 'home prime' });
  const bridge = await bot.follow({ kind: 'project', projectId: '660-118-342' });

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([bridge.serviceSubscriptionId]);
  expect(world.creates()).toBe(1);
});

test('nothing changes when the service answers 404 to everything, or does not answer', async () => {
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

test('a service that is down is asked about a few links, not about all', async () => {
  for (let index = 0; index < 8; index++) {
    await world.link({ ...dana, userId: `U0MANY000${index}` }, accounts.dana);
  }
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'answer', status: 503 });

  await bot.reconcile.reconcileAll();

  expect(fault.hits()).toBe(5);
});

test('a remote subscription to which the service always answers 500 does not keep the others of its owner from being repaired', async () => {
  world.service.switches.set({ comprehensiveList: 'empty object' });
  const broken = await followed();
  const lost = await bot.follow(school);
  removeAtService(lost);
  breakAtService('get', broken.serviceSubscriptionId);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([
    broken.serviceSubscriptionId,
    (await world.rowOf(school)).serviceSubscriptionId,
  ]);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 1 } });
});

test('a stale remote subscription that the service never removes does not keep others from being removed or repaired', async () => {
  await world.link(dana, accounts.dana);
  const stale = () => makeElsewhere(`${world.publicUrl}/notifications/${world.tokens.make()}`);
  const broken = [await stale(), await stale()];
  await stale();
  const lost = await bot.follow(tower);
  removeAtService(lost);
  for (const id of broken) breakAtService('delete', id);

  await bot.reconcile.reconcileAll();

  const again = await world.rowOf(tower);
  expect(idsOf(accounts.dana)).toEqual([...broken, again.serviceSubscriptionId]);
});

test('a check asks for few subscriptions if the service does not answer, and the next one begins with the others', async () => {
  world.service.switches.set({ comprehensiveList: 'empty object' });
  const lost = { kind: 'project', projectId: '660-118-342' } as const;
  await world.link(dana, accounts.dana);
  for (const target of [tower, school, review])
    breakAtService('get', (await bot.follow(target)).serviceSubscriptionId);
  removeAtService(await bot.follow(lost));
  const before = await world.rowOf(lost);

  await bot.reconcile.reconcileAll();
  expect(asked('get')).toBe(3);
  expect(await world.rowOf(lost)).toEqual(before);

  await bot.reconcile.reconcileAll();
  expect(await world.rowOf(lost)).toMatchObject({ state: 'active', health: { failedChecks: 0 } });
  expect(idsOf(accounts.dana)).toContain((await world.rowOf(lost)).serviceSubscriptionId);
});

test('every link is checked, however many pages of links there are, and Slack is not asked too fast', async () => {
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

test('a subscription removed while the service was down is removed there within minutes of its return', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await unsubscribeOne(bot.core, world.asked(dana), tower);
  await bot.releaseEnded();
  expect(fault.hits()).toBe(2);
  fault.remove();

  await bot.releaseEnded();
  await bot.releaseEnded();

  expect(world.recordsOf(accounts.dana)).toEqual([]);
  expect(world.service.log.of('request').filter(({ endpoint }) => endpoint === 'delete')).toHaveLength(3);
});

test("a service that does not answer delays the minute's other chores by half a minute at most", async () => {
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

test('a subscription removed while the service was down is removed there once it is back, even days later', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await unsubscribeOne(bot.core, world.asked(dana), tower);
  fault.remove();
  world.advance(3 * day);
  expect(world.recordsOf(accounts.dana)).toHaveLength(1);

  await bot.reconcile.reconcileAll();

  expect(world.recordsOf(accounts.dana)).toEqual([]);
  expect(await world.subscriptions.unreleased(new Date(0), 10)).toEqual([]);
});

test('a remote subscription with a callback URL of ours that belongs to no row is removed, whatever its host', async () => {
  const row = await followed();
  await makeElsewhere(`http://127.0.0.1:9/notifications/${world.tokens.make()}`);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('a second remote subscription with the callback URL of a live one is removed', async () => {
  const row = await followed();
  const [record] = world.recordsOf(accounts.dana);
  await makeElsewhere(record?.uri ?? '');
  expect(world.recordsOf(accounts.dana)).toHaveLength(2);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('remote subscriptions that another app or another installation made with my account are never touched', async () => {
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

test('a remote subscription that cannot be deleted does not keep others from being repaired', async () => {
  const row = await followed();
  removeAtService(row);
  await makeElsewhere(`${world.publicUrl}/notifications/${world.tokens.make()}`);
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 403 });

  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(idsOf(accounts.dana)).toContain((await world.rowOf(tower)).serviceSubscriptionId);
});

test.each(['allowed', '409'] as const)(
  'the bot moves to another address: its subscriptions move along, and nothing is lost on the way (a duplicate create is: %s)',
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

test('the service is down while the bot moves: the old remote subscription stays, and the next hour moves it', async () => {
  const row = await followed();
  const moved = world.addBot({ publicUrl: world.otherUrl });
  const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await moved.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
    callbackBase: world.publicUrl,
    health: { failedChecks: 1 },
  });
  rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);

  fault.remove();
  await moved.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({
    callbackBase: world.otherUrl,
    health: { failedChecks: 0 },
  });
  expect(world.recordsOf(accounts.dana)).toHaveLength(1);
});

test('killed between the row and the create: the subscription is created within minutes, and announced', async () => {
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

test('killed between the row and the create, while Slack is down: the subscription is announced without a name', async () => {
  await world.link(dana, accounts.dana);
  await world.subscriptions.add(world.newRow());
  world.slackIsDown(true);
  world.advance(minute);
  await bot.finishPending();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(await world.posted()).toEqual([expect.stringContaining(`${dana.userId} subscribed this channel`)]);
});

test('killed between the create and its answer: one remote subscription is left, and it is the one whose Key is known', async () => {
  await world.link(dana, accounts.dana);
  const token = world.tokens.make();
  const row = await world.subscriptions.add({
    ...world.newRow(),
    callbackTokenHash: world.tokens.hash(token),
  });
  const orphan = await makeElsewhere(`${world.publicUrl}/notifications/${token}`);
  // While the answer can still arrive, the remote subscription belongs to the row.
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

test('an answer that arrives after another process finished the row leaves no second remote subscription', async () => {
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

test('a subscription that could not be created for ten minutes is given up, and its owner reads why', async () => {
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
  // Each of the attempts had created one anyway.
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('Slack is down while a subscription is given up: its owner is notified once Slack is back, and nothing is left at the service', async () => {
  await world.link(dana, accounts.dana);
  world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 503,
    committed: true,
  });
  await bot.follow(tower);
  world.advance(11 * minute);
  world.slackIsDown(true);
  await bot.finishPending();
  expect(world.directMessages).toEqual([]);

  world.slackIsDown(false);
  world.advance(minute);
  await bot.finishPending();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  expect(world.directMessages).toEqual([
    { userId: dana.userId, text: expect.stringMatching(/I couldn’t subscribe .* and stopped trying\./) },
  ]);
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('an owner to whom Slack never delivers a message does not keep a subscription pending for longer than an hour', async () => {
  await world.link(dana, accounts.dana);
  world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 403,
    committed: true,
  });
  await world.subscriptions.add(world.newRow());
  world.slackIsDown(true);
  world.advance(59 * minute);
  await bot.finishPending();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });

  world.advance(2 * minute);
  await bot.finishPending();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('a create whose answer cannot be read leaves nothing at the service', async () => {
  await world.link(dana, accounts.dana);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'invalid JSON', committed: true });
  expect(await bot.follow(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  await bot.reconcile.settled();

  expect(world.answers).toHaveLength(1);
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test.each(['invalid JSON', 'reset'] as const)(
  'a change of scope whose answer does not arrive or cannot be read (%s) leaves nothing new at the service',
  async (kind) => {
    const row = await followed();
    const { serviceSubscriptionId } = row;
    world.service.faults.set({ endpoint: 'create', kind, committed: true });
    await bot.follow(tower, { comprehensive: false });
    expect(world.answers).toHaveLength(1);
    await bot.reconcile.settled();

    expect(await world.rowOf(tower)).toMatchObject({ comprehensive: true, serviceSubscriptionId });
    expect(idsOf(accounts.dana)).toEqual([serviceSubscriptionId]);
  },
);

test.each([false, true])(
  'killed during a replacement (the new remote subscription exists: %s): notifications are accepted throughout, and the replacement is repaired',
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

test('a member unsubscribes from a subscription whose replacement was interrupted: its remote subscription is removed at once', async () => {
  const row = await followed();
  const token = world.tokens.make();
  await world.subscriptions.beginReplacement(row, {
    callbackTokenHash: world.tokens.hash(token),
    previousSealedKey: null,
    now: world.clock.now(),
  });

  await unsubscribeOne(bot.core, world.asked(dana), tower);

  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('a member changes a subscription while it is being created again: the change holds, and one remote subscription is left', async () => {
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

test('a member unsubscribes while it is being created again: nothing is left at the service', async () => {
  const row = await followed();
  removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300, times: 1 });
  const check = bot.reconcile.reconcileAll();
  await expect.poll(async () => (await world.rowOf(tower)).serviceSubscriptionId).toBeNull();

  await unsubscribeOne(bot.core, world.asked(dana), tower);
  await check;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'removed' });
  expect(world.recordsOf(accounts.dana)).toEqual([]);
});

test('two simultaneous checks create what is missing once, and remove nothing that is needed', async () => {
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

test('only one check of a link runs at a time, also across processes', async () => {
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

test('two simultaneous replacements of one subscription, even without the lock, leave one remote subscription', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };

  const came = await Promise.all([
    bot.upstream.replace(row, wanted),
    world.addBot().upstream.replace(row, wanted),
  ]);

  expect(came).toContain('active');
  expect(came).toContain('overtaken');
  expect(idsOf(accounts.dana)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('a subscription that was already replaced since it was read is not replaced again', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };
  expect(await bot.upstream.replace(row, wanted)).toBe('active');

  expect(await bot.upstream.replace(row, wanted)).toBe('overtaken');

  expect(world.creates()).toBe(2);
  expect(idsOf(accounts.dana)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('a subscription that was paused between being read and being replaced is left alone', async () => {
  const row = await followed();
  const link = await world.links.of(dana);
  await world.subscriptions.pause([row.id], 'unlinked', world.clock.now());

  const wanted = { linkId: link?.id ?? '', target: tower, comprehensive: true };
  expect(await bot.upstream.replace(row, wanted)).toBe('overtaken');

  expect(world.creates()).toBe(1);
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'paused',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
});

test("a status other than Active is shown in the service's own word once it is seen twice in a row", async () => {
  await followed();
  const shown = async () => {
    world.answers.length = 0;
    await showList(bot.core, world.asked(dana), { toRemove: false });
    return world.answers.join('\n');
  };
  world.service.switches.set({ recordStatus: 'Inactive' });
  await bot.reconcile.reconcileAll();
  expect(await shown()).not.toContain('Inactive');

  await bot.reconcile.reconcileAll();
  expect(await shown()).toContain('The service reports “Inactive”');
  expect(world.log.lines).toContainEqual([
    'a subscription is not active',
    expect.objectContaining({ state: 'Inactive' }),
  ]);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });

  world.service.switches.set({ recordStatus: 'active' });
  await bot.reconcile.reconcileAll();
  expect(await shown()).not.toContain('Inactive');
});

test('the project I follow was deleted without a notification: the subscription ends with a message in the channel', async () => {
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
