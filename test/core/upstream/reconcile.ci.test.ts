import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkLink, checkLinks } from '../../../src/core/upstream/check-link.ts';
import { syncRound } from '../../../src/core/upstream/sync-round.ts';
import * as links from '../../../src/store/tables/links.ts';
import * as remotes from '../../../src/store/tables/remotes.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import type { TestCore } from '../../support/bot.ts';
import {
  accounts,
  bridge,
  minute,
  type Remotes,
  review,
  school,
  second,
  setUpRemotes,
  tower,
} from '../../support/remotes.ts';
import { makeStageActions } from '../../support/stage-actions.ts';

let world: Remotes;
/** The bot after its admin gave it another address. */
let moved: TestCore;
let third: TestCore;

beforeAll(async () => {
  world = await setUpRemotes('reconcile');
  third = await world.stage.addCore();
  moved = await world.stage.addCore({ env: { PUBLIC_URL: world.otherUrl } });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

/** Links Dana and subscribes the channel to the tower. */
async function followed(): Promise<Subscription> {
  await world.link(world.dana, accounts.dana);
  return world.follow(tower);
}

/** Does what the bot at its new address does at the start, and then. */
async function checkMoved(): Promise<void> {
  const { bot } = moved;
  await links.checkElsewhere(bot.db, bot.config.publicUrl, bot.clock.now());
  await checkLinks(bot);
}

/** Stores that the service is about to be asked, and dies. Returns the callback's token. */
async function askAndDie(row: Subscription, comprehensive = true): Promise<string> {
  const { bot } = world.other;
  const link = await world.links.of(world.personOf(world.dana));
  const token = bot.tokens.make();
  const asked = { linkId: link?.id ?? '', comprehensive, callbackBase: bot.config.publicUrl };
  const id = await remotes.ask(bot.db, row, { ...asked, tokenHash: bot.tokens.hash(token) }, bot.clock.now());
  expect(id).not.toBeNull();
  return token;
}

/** Makes the service answer 500 whenever this remote subscription is asked for. */
function breakAtService(endpoint: 'get' | 'delete', id: string | null): void {
  world.service.faults.set({ endpoint, kind: 'answer', status: 500, pathEnd: `/${id}` });
}

const asked = (endpoint: string) =>
  world.service.log.of('request').filter((request) => request.endpoint === endpoint).length;
const { listOf } = makeStageActions(() => world.stage);
const dms = () => world.slack.directMessages(world.dana).map(({ text }) => text);
const noPosts = () =>
  world.slack.fault({ method: 'chat.postMessage', status: 503, times: Number.POSITIVE_INFINITY });
const callbackUrl = (token = world.other.bot.tokens.make()) =>
  `${world.stage.bot.publicUrl}/notifications/${token}`;

const listForms = ['as the list', 'bare array', '$values', 'empty object', 'not JSON', '404'] as const;

test.each(listForms)(
  'a subscription that other software deleted at the service is created again within an hour (list: %s)',
  async (comprehensiveList) => {
    world.service.switches.set({ comprehensiveList });
    const row = await followed();
    const plain = await world.follow(`${review} itself`);
    world.removeAtService(row);
    world.removeAtService(plain);
    world.rename('Unheard');

    await world.reconcile();

    const [again, plainAgain] = [await world.rowOf(tower), await world.rowOf(review)];
    expect(again).toMatchObject({ id: row.id, state: 'active', reason: null });
    expect(world.idsOf(accounts.dana)).toEqual([
      again.serviceSubscriptionId,
      plainAgain.serviceSubscriptionId,
    ]);
    expect(world.service.subscriptions.byId(Number(plainAgain.serviceSubscriptionId))?.comprehensive).toBe(
      false,
    );
    world.rename('Heard');
    expect(await world.eventsOf(again)).toHaveLength(2);
  },
);

test.each(listForms)('a check that finds everything in order changes nothing (list: %s)', async (form) => {
  world.service.switches.set({ comprehensiveList: form });
  const row = await followed();
  const before = world.idsOf(accounts.dana);

  await world.reconcile();
  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual(before);
  expect(world.creates()).toBe(1);
  expect(await world.posted()).toHaveLength(1);
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
    health: { status: 'Active', oddChecks: 0, failedChecks: 0 },
  });
});

test('a list that covers only one workspace does not cost another its subscriptions', async () => {
  await world.link(world.dana, accounts.dana);
  world.service.switches.set({ listPrime: 'home prime' });
  const row = await world.follow(bridge);

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
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
    await world.reconcile();
    expect(set.hits()).toBeGreaterThan(0);
    set.remove();
  }

  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
  expect(await world.posted()).toHaveLength(1);
  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('a service that is down is asked about a few links, not about all', async () => {
  for (let index = 10; index < 30; index++) {
    await world.link({ id: `U0MANY00${index}` }, accounts.dana);
  }
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'answer', status: 503 });

  await world.reconcile();

  // Eight are checked at a time.
  expect(fault.hits()).toBe(8);
});

test('a remote subscription to which the service always answers 500 does not keep the others of its owner from being repaired', async () => {
  world.service.switches.set({ comprehensiveList: 'empty object' });
  const broken = await followed();
  const lost = await world.follow(school);
  world.removeAtService(lost);
  breakAtService('get', broken.serviceSubscriptionId);

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([
    broken.serviceSubscriptionId,
    (await world.rowOf(school)).serviceSubscriptionId,
  ]);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 1 } });
});

test('a stale remote subscription that the service never removes does not keep others from being removed or repaired', async () => {
  await world.link(world.dana, accounts.dana);
  const stale = () => world.makeElsewhere(callbackUrl());
  const broken = [await stale(), await stale()];
  await stale();
  const lost = await world.follow(tower);
  world.removeAtService(lost);
  for (const id of broken) breakAtService('delete', id);

  await world.reconcile();

  const again = await world.rowOf(tower);
  expect(world.idsOf(accounts.dana)).toEqual([...broken, again.serviceSubscriptionId]);
});

test('a check asks for few subscriptions if the service does not answer, and the next one begins with the others', async () => {
  world.service.switches.set({ comprehensiveList: 'empty object' });
  await world.link(world.dana, accounts.dana);
  for (const target of [tower, school, review])
    breakAtService('get', (await world.follow(target)).serviceSubscriptionId);
  world.removeAtService(await world.follow(bridge));
  const before = await world.rowOf(bridge);

  await world.reconcile();
  expect(asked('get')).toBe(3);
  expect(await world.rowOf(bridge)).toEqual(before);

  await world.reconcile();
  expect(await world.rowOf(bridge)).toMatchObject({ state: 'active', health: { failedChecks: 0 } });
  expect(world.idsOf(accounts.dana)).toContain((await world.rowOf(bridge)).serviceSubscriptionId);
});

test('every link is checked, however many are due, eight at a time, and Slack is asked about 60 people a minute at most', async () => {
  const { slack, stage } = world;
  const people = Array.from({ length: 101 }, () => slack.addUser({ teamId: stage.teamId }));
  await world.query(
    `insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at)
     select $1, $1, unnest($2::text[]), 'relink', now(), now()`,
    [stage.teamId, people.map(({ id }) => id)],
  );

  const before = slack.calls.length;
  await world.reconcile();

  expect(world.sleeps.filter((wait) => wait === second)).toHaveLength(12);
  const asked = world.slack.calls.slice(before).filter(({ method }) => method === 'users.info');
  // Eight are checked at the same time.
  expect(asked.length).toBeLessThanOrEqual(67);
  const read = () => people.map((person) => slack.directMessages(person).length);
  await expect.poll(read, { timeout: 10_000 }).toEqual(Array(101).fill(1));
});

test('a subscription removed while the service was down is removed there within minutes of its return', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await world.unfollow(tower);
  await world.passMinutes(1);
  expect(fault.hits()).toBeGreaterThanOrEqual(2);
  fault.remove();

  await world.passMinutes(2);

  expect(world.idsOf(accounts.dana)).toEqual([]);
});

test("a service that does not answer delays the minute's other chores by half a minute at most", async () => {
  await world.link(world.dana, accounts.dana);
  for (const target of [tower, school, review]) await world.follow(target);
  const rows = await world.subscriptions.ofOwner(world.personOf(world.dana));
  const ids = rows.map(({ id }) => id);
  await world.subscriptions.end(ids, 'removed', world.stage.now());
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'delay', ms: 50 });
  // Each answer takes ten seconds on the stage's clock.
  let answered = 0;
  const passing = setInterval(() => {
    for (; answered < fault.hits(); answered++) world.advance(10 * second);
  }, 5);

  await world.sweep();
  clearInterval(passing);

  expect(fault.hits()).toBe(2);
});

test('a remote subscription with a callback URL of ours that belongs to no row is removed, whatever its host', async () => {
  const row = await followed();
  await world.makeElsewhere(`http://127.0.0.1:9/notifications/${world.other.bot.tokens.make()}`);

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('a second remote subscription with the callback URL of a live one is removed', async () => {
  const row = await followed();
  const [record] = world.service.subscriptions.ofUser(accounts.dana);
  await world.makeElsewhere(record?.uri ?? '');
  expect(world.service.subscriptions.ofUser(accounts.dana)).toHaveLength(2);

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('remote subscriptions that another app or another installation made with my account are never touched', async () => {
  const row = await followed();
  const foreign = [
    await world.makeElsewhere('http://127.0.0.1:9/hooks/plans'),
    await world.makeElsewhere(`${world.stage.bot.publicUrl}/notifications/${'A'.repeat(32)}`),
    await world.makeElsewhere(
      `${world.stage.bot.publicUrl}/notifications/${world.other.bot.tokens.make()}/more`,
    ),
    await world.makeElsewhere(`${world.stage.bot.publicUrl}/other/${world.other.bot.tokens.make()}`),
  ];

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId, ...foreign]);
});

test('a remote subscription that cannot be deleted does not keep others from being repaired', async () => {
  const row = await followed();
  world.removeAtService(row);
  await world.makeElsewhere(callbackUrl());
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 403 });

  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(world.idsOf(accounts.dana)).toContain((await world.rowOf(tower)).serviceSubscriptionId);
});

test.each(['allowed', '409'] as const)(
  'the bot moves to another address: its subscriptions move along, and nothing is lost on the way (a duplicate create is: %s)',
  async (sameAgainStatus) => {
    world.service.switches.set({ sameAgainStatus });
    const row = await followed();
    world.rename('Before');

    await checkMoved();

    world.rename('After');
    const [record, ...others] = world.service.subscriptions.ofUser(accounts.dana);
    expect(others).toEqual([]);
    expect(record?.uri).toContain(`${world.otherUrl}/notifications/`);
    expect(await world.rowOf(tower)).toMatchObject({
      id: row.id,
      state: 'active',
      serviceSubscriptionId: String(record?.id),
    });
    expect(await world.eventsOf(row)).toHaveLength(4);
    expect(await world.posted()).toHaveLength(1);
  },
);

test('the service is down while the bot moves: the old remote subscription stays, and the next hour moves it', async () => {
  const row = await followed();
  const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await checkMoved();
  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
    health: { failedChecks: 1 },
  });
  world.rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);

  fault.remove();
  await checkMoved();

  expect(await world.rowOf(tower)).toMatchObject({ health: { failedChecks: 0 } });
  const [record, ...others] = world.service.subscriptions.ofUser(accounts.dana);
  expect(record?.uri).toContain(`${world.otherUrl}/notifications/`);
  expect(others).toEqual([]);
});

test('killed between the row and the create: the subscription is created within minutes, and announced', async () => {
  await world.link(world.dana, accounts.dana);
  const row = await world.subscriptions.add(world.newRow());
  world.advance(20 * second);
  await world.sweep();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });

  await world.passMinutes(1);

  expect(await world.rowOf(tower)).toMatchObject({ id: row?.id, state: 'active' });
  expect(world.idsOf(accounts.dana)).toHaveLength(1);
  expect(await world.posted()).toEqual([expect.stringContaining('Dana Reyes added')]);
});

test('killed between the row and the create, while Slack is down: the subscription is announced without a name', async () => {
  await world.link(world.dana, accounts.dana);
  await world.subscriptions.add(world.newRow());
  world.slack.fault({ method: 'users.info', status: 503, times: Number.POSITIVE_INFINITY });
  await world.passMinutes(1);

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(await world.posted()).toEqual([expect.stringContaining(`${world.dana.id} added`)]);
});

test('killed between the create and its answer: one remote subscription is left, and it is the one whose Key is known', async () => {
  await world.link(world.dana, accounts.dana);
  const row = await world.subscriptions.add(world.newRow());
  if (!row) throw new Error('the row was not added');
  const token = await askAndDie(row);
  const orphan = await world.makeElsewhere(callbackUrl(token));
  // While the answer can still arrive, the remote subscription belongs to the row.
  await world.reconcile();
  expect(world.idsOf(accounts.dana)).toEqual([orphan]);
  world.service.deliveries.hold();
  world.rename('Early');

  await world.passMinutes(1);
  world.service.deliveries.release();

  await expect.poll(() => world.idsOf(accounts.dana)).toHaveLength(1);
  const made = await world.rowOf(tower);
  expect(made).toMatchObject({ id: row.id, state: 'active' });
  expect(world.idsOf(accounts.dana)).toEqual([made.serviceSubscriptionId]);
  expect(made.serviceSubscriptionId).not.toBe(orphan);
  expect(await world.eventsOf(made)).toHaveLength(2);
});

test('an answer that arrives after another process finished the row leaves no second remote subscription', async () => {
  await world.link(world.dana, accounts.dana);
  const fault = world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'delay',
    ms: 400,
    times: 1,
    committed: true,
  });
  const slow = world.follow(tower);
  await expect.poll(() => world.service.subscriptions.ofUser(accounts.dana).length).toBe(1);
  world.advance(minute);
  await syncRound(world.other.bot);
  await slow;

  expect(fault.hits()).toBe(1);
  const row = await world.rowOf(tower);
  expect(row.state).toBe('active');
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
  expect(await world.posted()).toHaveLength(1);
});

test('a subscription that could not be created for ten minutes is given up, and its owner reads why', async () => {
  await world.link(world.dana, accounts.dana);
  const fault = world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 503,
    committed: true,
  });
  await world.follow(tower);
  await world.passMinutes(9);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'pending' });
  expect(dms()).toEqual([]);

  await world.passMinutes(4);

  expect(fault.hits()).toBe(11);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  await expect.poll(dms).toEqual([expect.stringMatching(/I couldn’t subscribe .* and stopped trying\./)]);
  expect(await world.posted()).toEqual([]);
  // Each of the attempts had created one anyway.
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([]);
});

test('Slack is down while a subscription is given up: its owner is notified once Slack is back, and nothing is left at the service', async () => {
  await world.link(world.dana, accounts.dana);
  world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 503,
    committed: true,
  });
  await world.follow(tower);
  world.advance(11 * minute);
  const fault = noPosts();
  await world.sweep();
  expect(dms()).toEqual([]);

  fault.clear();
  await world.passMinutes(1);

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  await expect.poll(dms).toEqual([expect.stringMatching(/I couldn’t subscribe .* and stopped trying\./)]);
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([]);
});

test('the service does not let me read any more what I follow: it is not asked to make it again every minute', async () => {
  const row = await followed();
  world.removeAtService(row);
  world.service.data.project('Harbour Tower').members.delete(accounts.dana);
  await world.reconcile();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'no access' });
  const creates = world.creates();

  await world.passMinutes(10);

  expect(world.creates()).toBe(creates);
  const remaining = await world.query(
    'select from plancast.remotes where deleted_at is null and made_at is null',
  );
  expect(remaining).toEqual([]);
});

test.each([400, 409])(
  'the service answers %i when what I follow is made again: it is asked again every hour, not every minute',
  async (status) => {
    const row = await followed();
    world.removeAtService(row);
    const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status });
    await world.reconcile();
    await world.reconcile();
    expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'not sent any more' });
    const hits = fault.hits();

    await world.passMinutes(10);

    expect(fault.hits()).toBe(hits);
    fault.remove();
    await world.reconcile();
    expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  },
);

test('an owner to whom Slack never delivers a message does not keep a subscription pending', async () => {
  await world.link(world.dana, accounts.dana);
  world.service.faults.set({
    endpoint: 'create comprehensive',
    kind: 'answer',
    status: 403,
    committed: true,
  });
  await world.subscriptions.add(world.newRow());
  noPosts();
  await world.passMinutes(1);

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'not made' });
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([]);
});

test.each([false, true])(
  'killed during a replacement (the new remote subscription exists: %s): notifications are accepted throughout, and the replacement is repaired',
  async (wasMade) => {
    const row = await followed();
    const token = await askAndDie(row, false);
    if (wasMade) await world.makeElsewhere(callbackUrl(token));
    world.rename('Meanwhile');
    const taken = (await world.eventsOf(row)).length;
    expect(taken).toBe(wasMade ? 4 : 2);

    await world.sweep();
    await world.reconcile();
    expect(world.idsOf(accounts.dana)).toHaveLength(wasMade ? 2 : 1);

    world.advance(3 * minute);
    await world.sweep();

    await expect
      .poll(() => world.rowOf(tower))
      .toMatchObject({
        state: 'active',
        serviceSubscriptionId: row.serviceSubscriptionId,
      });
    await expect.poll(() => world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
    world.rename('Afterwards');
    expect(await world.eventsOf(row)).toHaveLength(taken + 2);
  },
);

test('a member changes a subscription while it is being created again: the change holds, and one remote subscription is left', async () => {
  const row = await followed();
  world.removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300, times: 1 });
  const check = world.reconcile();
  await expect
    .poll(() => world.query('select id from plancast.remotes where made_at is null'))
    .toHaveLength(1);

  await world.follow(`${tower} itself`);
  await check;

  const changed = await world.rowOf(tower);
  expect(changed).toMatchObject({ id: row.id, state: 'active', comprehensive: false });
  await expect
    .poll(() => world.service.subscriptions.ofUser(accounts.dana))
    .toMatchObject([{ id: Number(changed.serviceSubscriptionId), comprehensive: false }]);
});

test('a member unsubscribes while it is being created again: nothing is left at the service', async () => {
  const row = await followed();
  world.removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300, times: 1 });
  const check = world.reconcile();
  await expect
    .poll(() => world.query('select id from plancast.remotes where made_at is null'))
    .toHaveLength(1);

  await world.unfollow(tower);
  await check;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'ended', reason: 'removed' });
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([]);
});

test('two simultaneous checks create what is missing once, and remove nothing that is needed', async () => {
  await world.link(world.dana, accounts.dana);
  await world.link(world.sam, accounts.sam);
  for (const target of [tower, school, review]) await world.follow(target);
  const session = 'session 845-902-113';
  await world.follow(session, world.sam);
  const targets = [tower, school, review, session];
  for (const target of targets) world.removeAtService(await world.rowOf(target));
  const others = [world.other, third].map(
    ({ bot }) =>
      () =>
        checkLinks(bot),
  );

  await Promise.all([world.reconcile, ...others].flatMap((check) => [check(), check()]));

  expect(world.creates()).toBe(8);
  const rows = await Promise.all(targets.map((target) => world.rowOf(target)));
  expect(rows.map(({ state }) => state)).toEqual(['active', 'active', 'active', 'active']);
  expect(new Set([...world.idsOf(accounts.dana), ...world.idsOf(accounts.sam)])).toEqual(
    new Set(rows.map(({ serviceSubscriptionId }) => serviceSubscriptionId)),
  );
  expect(world.service.subscriptions.all()).toHaveLength(4);
});

test('only one check of a link runs at a time, also across processes', async () => {
  await followed();
  const link = await world.links.of(world.personOf(world.dana));
  world.service.faults.set({ endpoint: 'list', kind: 'delay', ms: 200 });

  const came = await Promise.all([
    checkLink(world.other.bot, link?.id ?? ''),
    checkLink(third.bot, link?.id ?? ''),
  ]);

  expect(new Set(came)).toEqual(new Set(['in sync', null]));
  expect(await checkLink(world.other.bot, link?.id ?? '')).toBe('in sync');
});

test("a status other than Active is shown in the service's own word once it is seen twice in a row", async () => {
  await followed();
  const shown = async () => world.slack.textOf(await listOf(world.dana, world.plans));
  world.service.switches.set({ recordStatus: 'Inactive' });
  await world.reconcile();
  expect(await shown()).not.toContain('Inactive');

  await world.reconcile();
  expect(await shown()).toContain('The service reports “Inactive”');
  const line = world.logged.find((each) => each.includes('a subscription is not active'));
  expect(JSON.parse(line ?? '')).toMatchObject({ state: 'Inactive' });
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });

  world.service.switches.set({ recordStatus: 'active' });
  await world.reconcile();
  expect(await shown()).not.toContain('Inactive');
});

test('the project I follow was deleted without a notification: the subscription ends with a message in the channel', async () => {
  const row = await followed();
  world.service.switches.set({ subscriptionOfDeleted: 'removed' });
  world.service.deliveries.hold();
  world.service.act(accounts.sam, { action: 'delete-project', project: 'Harbour Tower' });

  await world.reconcile();
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'ended', reason: 'not found' });
  expect((await world.posted()).slice(1)).toEqual([
    expect.stringContaining('the service can’t find it anymore'),
  ]);
  world.service.deliveries.release();
});
