import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { subscribe } from '../../../src/core/subscribing/subscribe.ts';
import { unsubscribeOne } from '../../../src/core/subscribing/unsubscribe.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import {
  accounts,
  type Bot,
  dana,
  day,
  hour,
  plans,
  review,
  sam,
  school,
  startWorld,
  tower,
  type World,
} from './reconcile-world.ts';

let world: World;
let bot: Bot;

beforeAll(async () => {
  world = await startWorld('reconcile owners');
});
beforeEach(async () => {
  await world.reset();
  bot = world.addBot();
});
afterAll(() => world.close());

/** Links Dana and subscribes the channel to the tower; what was posted about that is not checked. */
async function followed(): Promise<Subscription> {
  await world.link(dana, accounts.dana);
  const row = await bot.follow(tower);
  await world.forgetPosted();
  return row;
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

function letDana(permission: 'none' | 'write'): void {
  world.service.act(accounts.sam, {
    action: 'set-permission',
    project: 'Harbour Tower',
    email: accounts.dana,
    permission,
  });
}

const idsOf = (account: string) => world.recordsOf(account).map(({ id }) => String(id));
const requestsOf = (account: string) =>
  world.service.log.of('request').filter(({ user }) => user === account).length;

/** Runs what follows as soon as a person has linked. */
async function resumed(person: typeof dana): Promise<void> {
  bot.reconcile.resumeSoon(person);
  await bot.reconcile.settled();
}

test('I lose access to the project: the channel gets one message with a button, and the subscription resumes when I have access again', async () => {
  const row = await followed();
  letDana('none');
  removeAtService(row);

  await bot.reconcile.reconcileAll();
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'no access' });
  expect(await world.posted()).toEqual([expect.stringContaining('Dana no longer has access')]);
  expect(await world.buttonsOfNewest()).toEqual(['Take over']);

  letDana('write');
  await bot.reconcile.reconcileAll();
  const again = await world.rowOf(tower);
  expect(again).toMatchObject({ state: 'active', reason: null });
  expect(idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect((await world.posted()).slice(1)).toEqual([expect.stringContaining('Resumed: project 412-873-550')]);
});

test('a colleague takes over a subscription whose owner lost access', async () => {
  const row = await followed();
  letDana('none');
  removeAtService(row);
  await bot.reconcile.reconcileAll();

  await world.link(sam, accounts.sam);
  await bot.follow(tower, { by: sam });
  await bot.reconcile.reconcileAll();

  const taken = await world.rowOf(tower);
  expect(taken).toMatchObject({ id: row.id, state: 'active', ownerUserId: sam.userId });
  expect(idsOf(accounts.sam)).toEqual([taken.serviceSubscriptionId]);
  rename('Heard');
  expect(await world.eventsOf(row)).toHaveLength(2);
});

test("a colleague takes over while the service still has the owner's remote subscription: in the end there is one", async () => {
  const row = await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await world.link(sam, accounts.sam);
  const link = await world.links.of(sam);
  await bot.upstream.replace(row, { linkId: link?.id ?? '', target: tower, comprehensive: true });
  await world.subscriptions.change(row.id, { ownerUserId: sam.userId }, world.clock.now());
  fault.remove();
  expect(idsOf(accounts.dana)).toHaveLength(1);

  await bot.reconcile.reconcileAll();

  expect(idsOf(accounts.dana)).toEqual([]);
  expect(idsOf(accounts.sam)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('the service refuses to create it again for its own reasons: announced at the second failure, and retried', async () => {
  const row = await followed();
  removeAtService(row);
  const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 422 });
  await bot.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 1 } });
  expect(await world.posted()).toEqual([]);

  for (let checks = 0; checks < 3; checks++) await bot.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'not sent any more' });
  expect(await world.posted()).toEqual([
    expect.stringContaining('is paused: the service stopped sending notifications.'),
  ]);

  fault.remove();
  await bot.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 0 } });
  expect(await world.posted()).toHaveLength(2);
});

test.each(['kept', 'removed'] as const)(
  'I revoked my grant: the channel and I are notified once; I link again, and it resumes automatically (remote subscriptions: %s)',
  async (revokedSubscriptions) => {
    world.service.switches.set({ revokedSubscriptions, revocation: 'access tokens too' });
    const row = await followed();
    world.service.revoke(accounts.dana);

    await bot.reconcile.reconcileAll();
    await bot.reconcile.reconcileAll();

    expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'link lost' });
    expect(await world.posted()).toEqual([
      expect.stringContaining('is paused: Dana needs to link their account again.'),
    ]);
    expect(await world.buttonsOfNewest()).toEqual(['Take over']);
    expect(world.directMessages).toEqual([
      { userId: dana.userId, text: expect.stringContaining('/plancast link') },
    ]);
    rename('Meanwhile');
    const missed = revokedSubscriptions === 'kept' ? 2 : 0;
    expect(await world.eventsOf(row)).toHaveLength(missed);

    await world.link(dana, accounts.dana);
    await resumed(dana);

    const again = await world.rowOf(tower);
    expect(again).toMatchObject({ id: row.id, state: 'active', reason: null });
    expect(idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
    expect((await world.posted()).slice(1)).toEqual([
      expect.stringMatching(
        missed > 0 ? /^Resumed: .*\.$/ : /^Resumed: .*I don’t know what changed in the meantime/,
      ),
    ]);
    for (const event of await world.eventsOf(row)) {
      expect(event).toMatchObject({ state: 'pending', reason: null, summary: 'paused' });
    }
    rename('Heard');
    expect(await world.eventsOf(row)).toHaveLength(missed + 2);
  },
);

test('the service rejects a fresh token: the subscription pauses, and resumes in the next hour', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'answer', status: 401 });
  await bot.reconcile.reconcileAll();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'link lost' });

  fault.remove();
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(world.creates()).toBe(1);
});

test('I linked again but lost access to the project: the channel gets the new reason', async () => {
  world.service.switches.set({ revokedSubscriptions: 'removed', revocation: 'access tokens too' });
  await followed();
  world.service.revoke(accounts.dana);
  await bot.reconcile.reconcileAll();
  letDana('none');
  await world.link(dana, accounts.dana);

  await resumed(dana);
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'no access' });
  expect((await world.posted()).slice(1)).toEqual([expect.stringContaining('Dana no longer has access')]);
});

test('I unlink and link again: my subscriptions resume, and those that an unlinked colleague left paused do not', async () => {
  await world.link(dana, accounts.dana);
  await world.link(sam, accounts.sam);
  await bot.follow(tower);
  await bot.follow(review, { by: sam });
  await bot.linking.unlink(dana);
  await bot.linking.unlink(sam);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(world.service.subscriptions.all()).toEqual([]);

  await world.link(dana, accounts.dana);
  await resumed(dana);

  const again = await world.rowOf(tower);
  expect(again).toMatchObject({ state: 'active' });
  expect(idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect(await world.rowOf(review)).toMatchObject({ state: 'paused', reason: 'unlinked' });
});

test('linking alone resumes what is paused', async () => {
  await followed();
  await bot.linking.unlink(dana);
  const started = await bot.linking.startLink({
    person: dana,
    channelId: null,
    responseUrl: null,
    request: null,
  });
  if (started.outcome !== 'started') throw new Error('the link was not started');
  await world.linkInBrowser(bot, started.url, accounts.dana);
  await bot.reconcile.settled();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
});

test('a member unlinks while their subscription is being created again: it does not resume without a link', async () => {
  const row = await followed();
  removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 2_000, times: 1 });
  const check = bot.reconcile.reconcileAll();
  await expect.poll(async () => (await world.rowOf(tower)).serviceSubscriptionId).toBeNull();
  await bot.linking.unlink(dana);
  await check;
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(await world.posted()).toEqual([expect.stringContaining('Dana unlinked their account')]);
});

test('a member unlinks while their subscription is being created: it is paused without them, and nothing of theirs stays at the service', async () => {
  await world.link(dana, accounts.dana);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 2_000, times: 1 });
  const following = bot.follow(tower);
  await expect.poll(async () => (await world.rowOf(tower).catch(() => null))?.state).toBe('pending');
  await bot.linking.unlink(dana);
  await following;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(world.recordsOf(accounts.dana)).toEqual([]);
  expect(await world.posted()).toEqual([expect.stringContaining('Dana unlinked their account')]);
});

test('a subscription whose owner has no link, for any reason, waits for a member to take it over', async () => {
  await followed();
  const link = await world.links.of(dana);
  await world.links.remove(link?.id ?? '');

  await bot.reconcile.reconcileAll();
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(await world.posted()).toEqual([expect.stringContaining('Dana unlinked their account')]);
  expect(await world.buttonsOfNewest()).toEqual(['Take over']);
});

test.each([404, 403] as const)(
  'I linked another account: my subscriptions are created again with it (status for those of others: %s)',
  async (othersSubscriptionStatus) => {
    world.service.switches.set({ othersSubscriptionStatus });
    const row = await followed();
    await world.link(dana, accounts.lee);

    await resumed(dana);

    const again = await world.rowOf(tower);
    expect(again).toMatchObject({ state: 'active' });
    expect(again.serviceSubscriptionId).not.toBe(row.serviceSubscriptionId);
    expect(idsOf(accounts.lee)).toEqual([again.serviceSubscriptionId]);
  },
);

test.each(['deactivated', 'guest'] as const)(
  'an owner becomes %s: the channel gets one message, and their tokens are no longer used',
  async (standing) => {
    const row = await followed();
    await bot.follow(review);
    await world.forgetPosted();
    world.standings.set(dana.userId, standing);
    await bot.reconcile.reconcileAll();
    const asked = requestsOf(accounts.dana);
    const renewals = () => world.service.log.of('token').length;
    const renewed = renewals();

    for (let days = 0; days < 29; days++) {
      world.advance(day);
      await bot.reconcile.reconcileAll();
      await bot.linking.keepAlive();
    }

    expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'paused', reason: 'owner gone' });
    const word = expect.stringContaining('Dana is no longer in this workspace');
    expect(await world.posted()).toEqual([word, word]);
    expect(await world.buttonsOfNewest()).toEqual(['Take over']);
    expect(renewals()).toBe(renewed);
    const link = await world.links.of(dana);
    expect(link).toMatchObject({ state: 'frozen' });
    expect(await bot.linking.accessTokenFor(link?.id ?? '')).toEqual({ outcome: 'relink' });
    await unsubscribeOne(bot.core, world.asked(sam), review);
    expect(world.directMessages).toEqual([]);
    expect(requestsOf(accounts.dana)).toBe(asked);

    world.advance(2 * day);
    await bot.reconcile.reconcileAll();
    expect(await world.links.of(dana)).toBeNull();
    expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'paused', reason: 'owner gone' });
    expect((await world.posted()).slice(2)).toEqual([expect.stringContaining('Sam removed')]);
  },
);

test('an owner comes back within the month: their subscriptions resume, and what arrived meanwhile is posted', async () => {
  const row = await followed();
  world.standings.set(dana.userId, 'deactivated');
  await bot.reconcile.reconcileAll();
  rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);
  world.advance(3 * day);

  world.standings.set(dana.userId, 'member');
  await bot.reconcile.reconcileAll();

  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
  expect((await world.posted()).slice(1)).toEqual([expect.stringMatching(/^Resumed: .*\.$/)]);
  expect(await world.links.of(dana)).toMatchObject({ state: 'active' });
});

test('an owner who was asked to link again leaves and comes back: they are not asked a second time', async () => {
  await followed();
  world.service.switches.set({ revocation: 'access tokens too' });
  world.service.revoke(accounts.dana);
  await bot.reconcile.reconcileAll();
  expect(world.directMessages).toHaveLength(1);
  world.standings.set(dana.userId, 'deactivated');
  await bot.reconcile.reconcileAll();

  world.standings.set(dana.userId, 'member');
  await bot.reconcile.reconcileAll();
  await bot.reconcile.reconcileAll();

  expect(world.directMessages).toHaveLength(1);
  expect(await world.links.of(dana)).toMatchObject({ state: 'relink' });
});

test('a colleague takes over from a member who left', async () => {
  const row = await followed();
  world.standings.set(dana.userId, 'deactivated');
  await bot.reconcile.reconcileAll();
  await world.link(sam, accounts.sam);
  await bot.follow(tower, { by: sam });
  await bot.reconcile.reconcileAll();

  const taken = await world.rowOf(tower);
  expect(taken).toMatchObject({ id: row.id, state: 'active', ownerUserId: sam.userId });
  expect(idsOf(accounts.sam)).toEqual([taken.serviceSubscriptionId]);
});

test('Slack does not say who a person is: their last known status still counts', async () => {
  const row = await followed();
  removeAtService(row);
  world.slackIsDown(true);

  await bot.reconcile.reconcileAll();

  world.slackIsDown(false);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(idsOf(accounts.dana)).toHaveLength(1);
});

test('Slack stops answering after an owner left: their tokens stay unused, and the month until they are deleted continues', async () => {
  await followed();
  world.standings.set(dana.userId, 'deactivated');
  await bot.reconcile.reconcileAll();
  const asked = requestsOf(accounts.dana);
  world.advance(29 * day);
  world.slackIsDown(true);

  await bot.reconcile.reconcileAll();

  expect(requestsOf(accounts.dana)).toBe(asked);
  expect(await world.links.of(dana)).toMatchObject({ state: 'frozen' });
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'owner gone' });

  world.slackIsDown(false);
  world.advance(2 * day);
  await bot.reconcile.reconcileAll();
  expect(await world.links.of(dana)).toBeNull();
});

test('a channel is closed to the bot: its subscriptions are maintained at the service, and stay paused', async () => {
  const row = await followed();
  await world.subscriptions.pause([row.id], 'channel archived', world.clock.now());
  removeAtService(row);

  await world.addBot({ publicUrl: world.otherUrl }).reconcile.reconcileAll();

  const again = await world.rowOf(tower);
  expect(again).toMatchObject({
    state: 'paused',
    reason: 'channel archived',
    callbackBase: world.otherUrl,
  });
  expect(idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect(await world.posted()).toEqual([]);
  rename('Meanwhile');
  expect(await world.eventsOf(row)).toMatchObject([{ reason: 'paused' }, { reason: 'paused' }]);
});

test('a member pauses a subscription while it is about to resume: it stays paused', async () => {
  const row = await followed();
  await world.subscriptions.pause([row.id], 'link lost', world.clock.now());
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'delay', ms: 300, times: 1 });
  const check = bot.reconcile.reconcileAll();
  await expect.poll(() => fault.hits()).toBe(1);
  await world.subscriptions.pauseInstead(
    { id: row.id, reason: 'link lost' },
    'by a person',
    world.clock.now(),
  );
  await check;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'by a person' });
  expect(await world.posted()).toEqual([]);
});

test('events held for a subscription that is active again are released', async () => {
  const row = await followed();
  await world.subscriptions.pause([row.id], 'link lost', world.clock.now());
  rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);
  // The state after a kill between resuming the subscription and releasing its events.
  await world.subscriptions.resume([row.id], world.clock.now());

  await bot.reconcile.reconcileAll();

  expect(await world.eventsOf(row)).toMatchObject([
    { reason: null, summary: 'paused' },
    { reason: null, summary: 'paused' },
  ]);
  expect(world.enqueued).toEqual([expect.objectContaining({ channelId: plans.channelId })]);
});

test('one link serves all workspaces of an organization', async () => {
  const organization = { enterpriseId: 'E0ACME001', teamId: 'T0ACME001' };
  await world.link({ ...dana, ...organization }, accounts.dana);
  const elsewhere = { enterpriseId: 'E0ACME001', teamId: 'T0ACME002', userId: dana.userId };
  await subscribe(bot.core, world.asked(elsewhere), {
    act: 'subscribe',
    target: school,
    comprehensive: true,
    filters: {},
  });
  const [row] = await world.subscriptions.ofOwner(elsewhere);
  removeAtService({ serviceSubscriptionId: row?.serviceSubscriptionId ?? null });

  await bot.reconcile.reconcileAll();

  const [again] = await world.subscriptions.ofOwner({ ...dana, ...organization });
  expect(again).toMatchObject({ id: row?.id, state: 'active' });
  expect(idsOf(accounts.dana)).toEqual([again?.serviceSubscriptionId]);
});

test('a bot that stops ends its check between two subscriptions, and the next bot continues', async () => {
  await world.link(dana, accounts.dana);
  for (const target of [tower, school, review] as const) removeAtService(await bot.follow(target));
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300 });
  const before = world.creates();
  const check = bot.reconcile.reconcileAll();
  await expect.poll(async () => (await world.rowOf(tower)).serviceSubscriptionId).toBeNull();

  await bot.reconcile.stop();
  await check;
  expect(world.creates() - before).toBe(1);

  world.service.faults.clear();
  world.advance(hour);
  await world.addBot().reconcile.reconcileAll();
  expect(idsOf(accounts.dana)).toHaveLength(3);
});
