import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkLink, checkLinks } from '../../../src/core/upstream/check-link.ts';
import { place } from '../../../src/core/upstream/sync.ts';
import { checkElsewhere } from '../../../src/store/tables/links.ts';
import * as obstacles from '../../../src/store/tables/obstacles.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import type { TestCore } from '../../support/bot.ts';
import {
  accounts,
  day,
  hour,
  type Remotes,
  review,
  school,
  setUpRemotes,
  tower,
} from '../../support/remotes.ts';
import { makeStageActions } from '../../support/stage-actions.ts';

let world: Remotes;
/** The bot after its admin gave it another address. */
let moved: TestCore;

beforeAll(async () => {
  world = await setUpRemotes('reconcile owners');
  moved = await world.stage.addCore({ env: { PUBLIC_URL: world.otherUrl } });
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

const { press } = makeStageActions(() => world.stage);

/** Links Dana and subscribes the channel to the tower. */
async function followed(): Promise<Subscription> {
  await world.link(world.dana, accounts.dana);
  return world.follow(tower);
}

function letDana(permission: 'none' | 'write'): void {
  world.service.act(accounts.sam, {
    action: 'set-permission',
    project: 'Harbour Tower',
    email: accounts.dana,
    permission,
  });
}

const requestsOf = (account: string) =>
  world.service.log.of('request').filter(({ user }) => user === account).length;
const linkOf = (user = world.dana) => world.links.of(world.personOf(user));
/** Returns what was announced after the first announcement, which is that the channel was subscribed. */
const announced = async () => (await world.posted()).slice(1);
const dms = () => world.slack.directMessages(world.dana).map(({ text }) => text);
/** Makes Slack say of nobody who they are. */
async function noProfiles() {
  await world.stage.forgetSlack();
  return world.slack.fault({ method: 'users.info', status: 503, times: Number.POSITIVE_INFINITY });
}

/** Makes a subscription wait for its owner's link, which the service takes again. */
async function withheld({ id }: Subscription): Promise<void> {
  await obstacles.withhold(world.db, [id], 'link lost');
  await world.sweep();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'link lost' });
}

/** Waits until the service is being asked for a remote subscription. */
const beingAsked = () =>
  expect.poll(() => world.query('select from plancast.remotes where made_at is null')).toHaveLength(1);

async function unlink(user = world.dana): Promise<void> {
  const { slack, stage, plans } = world;
  await stage.type(user, '/plancast unlink', plans);
  await press(user, await slack.waitForEphemeral(user, 'Unlink your account'), 'Unlink');
  await slack.waitForMessage(plans, `${user.realName} unlinked their account`);
}

/** Links as people do, which resumes what waits for the link. */
const linkAgain = (account: string, user = world.dana) => world.stage.link(user, account, world.plans);

test('I lose access to the project: the channel gets one message with a button, and the subscription resumes when I have access again', async () => {
  const row = await followed();
  letDana('none');
  world.removeAtService(row);

  await world.reconcile();
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'no access' });
  expect(await announced()).toEqual([expect.stringContaining('Dana Reyes no longer has access')]);
  expect(await world.buttonsOfNewest()).toEqual(['Take over']);

  letDana('write');
  await world.reconcile();
  const again = await world.rowOf(tower);
  expect(again).toMatchObject({ state: 'active', reason: null });
  expect(world.idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect((await announced()).slice(1)).toEqual([expect.stringContaining('Resumed: project 412-873-550')]);
});

test('a colleague takes over a subscription whose owner lost access', async () => {
  const row = await followed();
  letDana('none');
  world.removeAtService(row);
  await world.reconcile();

  await world.link(world.sam, accounts.sam);
  await world.takeOver(tower, world.sam);
  await world.reconcile();

  const taken = await world.rowOf(tower);
  expect(taken).toMatchObject({ id: row.id, state: 'active', ownerUserId: world.sam.id });
  expect(world.idsOf(accounts.sam)).toEqual([taken.serviceSubscriptionId]);
  world.rename('Heard');
  expect(await world.eventsOf(row)).toHaveLength(2);
});

test("a colleague takes over while the service still has the owner's remote subscription: in the end there is one", async () => {
  const row = await followed();
  const fault = world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await world.link(world.sam, accounts.sam);
  const link = await linkOf(world.sam);
  await place(world.other.bot, row, { linkId: link?.id ?? '', comprehensive: true });
  await world.subscriptions.change(row.id, { ownerUserId: world.sam.id }, world.stage.now());
  fault.remove();
  expect(world.idsOf(accounts.dana)).toHaveLength(1);

  await world.reconcile();

  expect(world.idsOf(accounts.dana)).toEqual([]);
  expect(world.idsOf(accounts.sam)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('the service refuses to create it again for its own reasons: announced at the second failure, and retried', async () => {
  const row = await followed();
  world.removeAtService(row);
  const fault = world.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 422 });
  await world.reconcile();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 1 } });
  expect(await announced()).toEqual([]);

  for (let checks = 0; checks < 3; checks++) await world.reconcile();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'not sent any more' });
  expect(await announced()).toEqual([
    expect.stringContaining('is paused: the service stopped sending notifications.'),
  ]);

  fault.remove();
  await world.reconcile();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'active', health: { failedChecks: 0 } });
  expect(await announced()).toHaveLength(2);
});

test.each(['kept', 'removed'] as const)(
  'I revoked my grant: the channel and I are notified once; I link again, and it resumes automatically (remote subscriptions: %s)',
  async (revokedSubscriptions) => {
    world.service.switches.set({ revokedSubscriptions, revocation: 'access tokens too' });
    const row = await followed();
    world.service.revoke(accounts.dana);

    await world.reconcile();
    await world.reconcile();

    expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'link lost' });
    expect(await announced()).toEqual([
      expect.stringContaining('is paused: Dana Reyes needs to link their account again.'),
    ]);
    expect(await world.buttonsOfNewest()).toEqual(['Take over']);
    expect(dms()).toEqual([expect.stringContaining('stopped working')]);
    world.rename('Meanwhile');
    const missed = revokedSubscriptions === 'kept' ? 2 : 0;
    expect(await world.eventsOf(row)).toHaveLength(missed);

    await linkAgain(accounts.dana);

    await world.slack.waitForMessage(world.plans, 'Resumed');
    const again = await world.rowOf(tower);
    expect(again).toMatchObject({ id: row.id, state: 'active', reason: null });
    await expect.poll(() => world.idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
    expect((await announced()).slice(1)).toEqual([
      expect.stringMatching(
        missed > 0
          ? /^Resumed: .*While paused: 2 changes/s
          : /^Resumed: .*I don’t know what changed in the meantime/,
      ),
    ]);
    for (const event of await world.eventsOf(row)) {
      expect(event).toMatchObject({ state: 'posted', reason: null, summary: 'paused' });
    }
    world.rename('Heard');
    expect(await world.eventsOf(row)).toHaveLength(missed + 2);
  },
);

test('the service rejects a fresh token: the subscription pauses, and resumes in the next hour', async () => {
  await followed();
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'answer', status: 401 });
  await world.reconcile();
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'link lost' });

  fault.remove();
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(world.creates()).toBe(1);
});

test('I linked again but lost access to the project: the channel gets the new reason', async () => {
  world.service.switches.set({ revokedSubscriptions: 'removed', revocation: 'access tokens too' });
  await followed();
  world.service.revoke(accounts.dana);
  await world.reconcile();
  letDana('none');

  await linkAgain(accounts.dana);
  await world.slack.waitForMessage(world.plans, 'no longer has access');
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'no access' });
  expect((await announced()).slice(1)).toEqual([expect.stringContaining('Dana Reyes no longer has access')]);
});

test('I unlink and link again: my subscriptions resume, and those that an unlinked colleague left paused do not', async () => {
  await world.link(world.dana, accounts.dana);
  await world.link(world.sam, accounts.sam);
  await world.follow(tower);
  await world.follow(review, world.sam);
  await unlink();
  await unlink(world.sam);
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  await expect.poll(() => world.service.subscriptions.all()).toEqual([]);

  await linkAgain(accounts.dana);

  await world.slack.waitForMessage(world.plans, 'Resumed');
  const again = await world.rowOf(tower);
  expect(again).toMatchObject({ state: 'active' });
  expect(world.idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect(await world.rowOf(review)).toMatchObject({ state: 'paused', reason: 'unlinked' });
});

test('a member unlinks while their subscription is being created again: it does not resume without a link', async () => {
  const row = await followed();
  world.removeAtService(row);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 2_000, times: 1 });
  const check = world.reconcile();
  await beingAsked();
  await unlink();
  await check;
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(await announced()).toEqual([expect.stringContaining('Dana Reyes unlinked their account')]);
});

test('a member unlinks while their subscription is being created: it is paused without them, and nothing of theirs stays at the service', async () => {
  await world.link(world.dana, accounts.dana);
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 2_000, times: 1 });
  const following = world.follow(tower);
  await expect.poll(async () => (await world.rowOf(tower).catch(() => null))?.state).toBe('pending');
  await unlink();
  await following;
  await expect.poll(() => world.creates()).toBe(1);

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  await expect.poll(() => world.idsOf(accounts.dana)).toEqual([]);
  expect(await world.posted()).toEqual([expect.stringContaining('Dana Reyes unlinked their account')]);
});

test('a subscription whose owner has no link, for any reason, waits for a member to take it over', async () => {
  await followed();
  const link = await linkOf();
  await world.links.remove(link?.id ?? '');

  await world.reconcile();
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'unlinked' });
  expect(await announced()).toEqual([expect.stringContaining('Dana Reyes unlinked their account')]);
  expect(await world.buttonsOfNewest()).toEqual(['Take over']);
});

test('I linked another account: my subscriptions are made again with it, and nothing of the first stays', async () => {
  await followed();
  await world.link(world.dana, accounts.lee);

  await world.passMinutes(1);

  const again = await world.rowOf(tower);
  expect(again).toMatchObject({ state: 'active' });
  expect(world.idsOf(accounts.lee)).toEqual([again.serviceSubscriptionId]);
  expect(world.idsOf(accounts.dana)).toEqual([]);
  expect(world.service.log.of('subscription').map(({ change }) => change)).toEqual([
    'created',
    'created',
    'removed',
  ]);
  expect(await linkOf()).toMatchObject({ account: accounts.lee });
  expect(await world.query('select from plancast.links')).toHaveLength(1);
  expect(await announced()).toEqual([]);
});

test('the service does not answer after I linked another account: what I follow is made within ten minutes of its return', async () => {
  await followed();
  await world.link(world.dana, accounts.lee);
  const passMinutes = async (count: number) => {
    for (let minutes = 0; minutes < count; minutes++) {
      await world.passMinutes(1);
      await world.stage.bot.runChore('check-links');
    }
  };
  const fault = world.service.faults.set({ endpoint: 'every', kind: 'answer', status: 503 });
  await passMinutes(7);
  fault.remove();

  await passMinutes(10);

  expect(world.idsOf(accounts.lee)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test.each([
  ['deactivated', { deleted: true }],
  ['a guest', { isRestricted: true }],
])(
  'an owner becomes %s: the channel gets one message, and their tokens only delete what nobody needs any more',
  async (_what, change) => {
    const row = await followed();
    await world.follow(review);
    await world.becomes(world.dana, change);
    await world.reconcile();
    const asked = requestsOf(accounts.dana);
    const renewals = () => world.service.log.of('token').length;
    const renewed = renewals();

    for (let days = 0; days < 29; days++) {
      world.advance(day);
      await world.reconcile();
    }

    expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'paused', reason: 'owner gone' });
    const word = expect.stringMatching(
      /2 subscriptions are paused: .*Dana Reyes.* is no longer in this workspace/,
    );
    expect((await announced()).slice(1)).toEqual([word]);
    expect(await world.buttonsOfNewest()).toEqual(['Take over all 2']);
    expect(renewals()).toBe(renewed);
    expect(await linkOf()).toMatchObject({ state: 'frozen' });
    expect(requestsOf(accounts.dana)).toBe(asked);
    await world.unfollow(review, world.sam);
    await expect.poll(() => world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
    expect(dms()).toEqual([]);

    world.advance(2 * day);
    await world.reconcile();
    expect(await linkOf()).toBeNull();
    expect(await world.rowOf(tower)).toMatchObject({ id: row.id, state: 'paused', reason: 'owner gone' });
    expect((await announced()).slice(2)).toEqual([expect.stringContaining('Sam Okafor removed')]);
    await world.passMinutes(1);
    expect(world.idsOf(accounts.dana)).toEqual([]);
    expect(await world.query('select from plancast.links')).toEqual([]);
  },
);

test('an owner comes back within the month: their subscriptions resume, and what arrived meanwhile is posted', async () => {
  const row = await followed();
  await world.becomes(world.dana, { deleted: true });
  await world.reconcile();
  world.rename('Meanwhile');
  expect(await world.eventsOf(row)).toHaveLength(2);
  world.advance(3 * day);

  await world.becomes(world.dana, { deleted: false });
  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({
    state: 'active',
    serviceSubscriptionId: row.serviceSubscriptionId,
  });
  expect((await announced()).slice(1)).toEqual([
    expect.stringMatching(/^Resumed: .*While paused: 2 changes/s),
  ]);
  expect(await linkOf()).toMatchObject({ state: 'active' });
});

test('an owner who was asked to link again leaves and comes back: they are not asked a second time', async () => {
  await followed();
  world.service.switches.set({ revocation: 'access tokens too' });
  world.service.revoke(accounts.dana);
  await world.reconcile();
  await expect.poll(dms).toHaveLength(1);
  await world.becomes(world.dana, { deleted: true });
  await world.reconcile();

  await world.becomes(world.dana, { deleted: false });
  await world.reconcile();
  await world.reconcile();

  expect(dms()).toHaveLength(1);
  expect(await linkOf()).toMatchObject({ state: 'relink' });
});

test('Slack does not say who a person is: their last known status still counts', async () => {
  const row = await followed();
  world.removeAtService(row);
  await noProfiles();

  await world.reconcile();

  expect(await world.rowOf(tower)).toMatchObject({ state: 'active' });
  expect(world.idsOf(accounts.dana)).toHaveLength(1);
});

test('Slack stops answering after an owner left: their tokens stay unused, and the month until they are deleted continues', async () => {
  await followed();
  await world.becomes(world.dana, { deleted: true });
  await world.reconcile();
  const asked = requestsOf(accounts.dana);
  world.advance(29 * day);
  const fault = await noProfiles();

  await world.reconcile();

  expect(requestsOf(accounts.dana)).toBe(asked);
  expect(await linkOf()).toMatchObject({ state: 'frozen' });
  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'owner gone' });

  fault.clear();
  world.advance(2 * day);
  await world.reconcile();
  expect(await linkOf()).toBeNull();
});

test('a channel is closed to the bot: its subscriptions are maintained at the service, and stay paused', async () => {
  const row = await followed();
  await world.slack.archive(world.plans, world.sam);
  await expect.poll(() => world.rowOf(tower)).toMatchObject({ reason: 'channel archived' });
  world.removeAtService(row);

  await checkElsewhere(moved.bot.db, moved.bot.config.publicUrl, moved.bot.clock.now());
  await checkLinks(moved.bot);

  const again = await world.rowOf(tower);
  expect(again).toMatchObject({
    state: 'paused',
    reason: 'channel archived',
  });
  expect(world.idsOf(accounts.dana)).toEqual([again.serviceSubscriptionId]);
  expect(await announced()).toEqual([]);
  world.rename('Meanwhile');
  expect(await world.eventsOf(row)).toMatchObject([{ reason: 'paused' }, { reason: 'paused' }]);
});

test('a member pauses a subscription while it is about to resume: it stays paused', async () => {
  const row = await followed();
  await withheld(row);
  const fault = world.service.faults.set({ endpoint: 'list', kind: 'delay', ms: 300, times: 1 });
  const check = world.reconcile();
  await expect.poll(() => fault.hits()).toBe(1);
  const pause = `update plancast.subscriptions set reason = 'by a person', paused_by = '' where id = $1`;
  await world.query(pause, [row.id]);
  await check;

  expect(await world.rowOf(tower)).toMatchObject({ state: 'paused', reason: 'by a person' });
  expect((await announced()).slice(1)).toEqual([]);
});

test('a bot that stops ends its check between two subscriptions, and the next bot continues', async () => {
  await world.link(world.dana, accounts.dana);
  for (const target of [tower, school, review] as const) world.removeAtService(await world.follow(target));
  world.service.faults.set({ endpoint: 'create comprehensive', kind: 'delay', ms: 300 });
  const before = world.creates();
  const { bot } = await world.stage.addCore();
  const link = await linkOf();
  const check = checkLink(bot, link?.id ?? '');
  await beingAsked();

  await bot.later.stop();
  await check;
  expect(world.creates() - before).toBe(1);

  world.service.faults.clear();
  world.advance(hour);
  await world.reconcile();
  expect(world.idsOf(accounts.dana)).toHaveLength(3);
});
