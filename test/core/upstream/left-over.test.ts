import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accounts, minute, type Remotes, setUpRemotes, tower } from '../../support/remotes.ts';
import { makeStageActions } from '../../support/stage-actions.ts';

// Ways in which remote subscriptions were left over at the service under an earlier release. Only the minute's chores run afterwards.

let world: Remotes;
beforeAll(async () => {
  world = await setUpRemotes('left over');
});
beforeEach(() => world.reset());
afterAll(() => world.stage.close());

const { press } = makeStageActions(() => world.stage);

/** Makes the service carry a request out whose answer never arrives, once. */
const cutAnswer = (endpoint: 'create' | 'create comprehensive') =>
  world.service.faults.set({ endpoint, kind: 'reset', committed: true, times: 1 });

/** Stores that the service was asked, which then did it, and that the process died before its answer. */
async function askedAndDied(line: string, by = world.dana): Promise<void> {
  const held = world.service.faults.set({
    endpoint: 'every',
    kind: 'delay',
    ms: 1_500,
    times: 1,
    committed: true,
  });
  const before = world.service.subscriptions.all().length;
  await world.stage.type(by, `/subscribe ${line}`, world.plans);
  await expect.poll(() => world.service.subscriptions.all().length).toBe(before + 1);
  held.remove();
}

async function unlink(user = world.dana): Promise<void> {
  const { slack, stage, plans } = world;
  await stage.type(user, '/plancast unlink', plans);
  await press(user, await slack.waitForEphemeral(user, 'Unlink your account'), 'Unlink');
  await slack.waitForMessage(plans, `${user.realName} unlinked their account`);
}

test('A: the answer to my subscribe command is cut, and I unsubscribe: nothing is left at the service', async () => {
  await world.link(world.dana, accounts.dana);
  cutAnswer('create comprehensive');
  await world.follow(tower);
  expect(world.idsOf(accounts.dana)).toHaveLength(1);
  await world.stage.type(world.dana, `/unsubscribe ${tower}`, world.plans);

  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toEqual([]);
});

test('B: a change of scope is cut and I unsubscribe right away: neither the old nor the new one is left', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  cutAnswer('create');
  await world.follow(`${tower} itself`);
  await world.unfollow(tower);

  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toEqual([]);
});

test('C: the service refuses once to delete what a change of scope replaced: it is deleted within minutes', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503, times: 1 });
  await world.follow(`${tower} itself`);
  expect(world.idsOf(accounts.dana)).toHaveLength(2);

  await world.passMinutes(10);

  const row = await world.rowOf(tower);
  expect(row).toMatchObject({ comprehensive: false, state: 'active' });
  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('C: the service forbids once to delete what I unsubscribe: it is deleted within ten minutes', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 403, times: 1 });
  await world.unfollow(tower);

  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toEqual([]);
});

test('C: while the wider one still stands, nothing is posted that the narrower subscription does not follow', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  world.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503 });
  await world.follow(`${tower} itself`);

  world.service.act(accounts.sam, {
    action: 'create-file',
    project: 'Harbour Tower',
    name: 'Filtered away.pdf',
  });
  world.rename('Heard');
  const row = await world.rowOf(tower);

  await expect
    .poll(async () => (await world.eventsOf(row)).map(({ state, reason }) => `${state} ${reason}`))
    .toContain('filtered path');
  await world.slack.waitForMessage(world.plans, 'renamed the project');
  expect(world.slack.messages(world.plans).some(({ text }) => text.includes('Filtered away'))).toBe(false);
});

test('D: two changes of scope, the first of them cut: one remote subscription is left, and it is the right one', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  cutAnswer('create');
  await world.follow(`${tower} itself`);
  await world.follow(`${tower} itself`);

  await world.passMinutes(10);

  const row = await world.rowOf(tower);
  expect(row).toMatchObject({ comprehensive: false, state: 'active' });
  expect(world.idsOf(accounts.dana)).toEqual([row.serviceSubscriptionId]);
});

test('E: another member takes another scope, and the answer is cut: nothing of theirs is left', async () => {
  await world.link(world.dana, accounts.dana);
  await world.link(world.sam, accounts.sam);
  await world.follow(tower);
  await world.stage.type(world.sam, `/subscribe ${tower} itself`, world.plans);
  const question = await world.slack.waitForEphemeral(world.sam, 'Change it to');
  cutAnswer('create');
  await press(world.sam, question, 'Change scope');
  await expect.poll(() => world.idsOf(accounts.sam)).toHaveLength(1);

  await world.passMinutes(10);

  expect(world.idsOf(accounts.sam)).toEqual([]);
  expect(world.idsOf(accounts.dana)).toEqual([(await world.rowOf(tower)).serviceSubscriptionId]);
});

test('F: a change of scope is cut, and the process dies before it could look: another process finds what is left', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow(tower);
  await askedAndDied(`${tower} itself`);
  await world.query(
    'update plancast.remotes set made_at = null, service_id = null where comprehensive = false',
  );

  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toHaveLength(1);
});

test('G: the answer to my subscribe command is cut, and I unlink: what was made is deleted before the tokens are', async () => {
  await world.link(world.dana, accounts.dana);
  await world.follow('project 538-204-917');
  cutAnswer('create comprehensive');
  await world.follow(tower);
  expect(world.idsOf(accounts.dana)).toHaveLength(2);

  await unlink();
  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toEqual([]);
  expect(await world.links.of(world.personOf(world.dana))).toBeNull();
  expect(await world.query('select from plancast.links where given_up_at is not null')).toEqual([]);
});

test('G: the service is down while I unlink: within five minutes the tokens are gone, and the log names what remains', async () => {
  await world.link(world.dana, accounts.dana);
  const row = await world.follow(tower);
  const fault = world.service.faults.set({ endpoint: 'every', kind: 'answer', status: 503 });

  await unlink();
  for (let minutes = 0; minutes < 5; minutes++) {
    world.advance(minute);
    await world.sweep();
  }
  fault.remove();

  expect(await world.query('select from plancast.links')).toEqual([]);
  const line = world.logged.find((each) => each.includes('a remote subscription stays at the service'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    record: row.serviceSubscriptionId,
    person: world.dana.id,
  });
});

test('H: the service takes my tokens no more, and Sam unsubscribes: the log names what stays there', async () => {
  await world.link(world.dana, accounts.dana);
  const { serviceSubscriptionId: record } = await world.follow(tower);
  world.service.switches.set({ revocation: 'access tokens too' });
  world.service.revoke(accounts.dana);

  await world.unfollow(tower, world.sam);

  const remaining = () =>
    world.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith('could not remove'));
  await expect.poll(remaining).toMatchObject([{ level: 'warn', record }]);
});

test('I: the answer to my subscribe command is cut, and I leave the company: what was made is deleted within ten minutes', async () => {
  await world.link(world.dana, accounts.dana);
  cutAnswer('create comprehensive');
  await world.follow(tower);
  await world.becomes(world.dana, { deleted: true });
  await world.query(`update plancast.links set state = 'frozen', frozen_at = now()`);
  expect(world.idsOf(accounts.dana)).toHaveLength(1);

  await world.passMinutes(10);

  expect(world.idsOf(accounts.dana)).toEqual([]);
  expect(await world.query('select from plancast.links')).toHaveLength(1);
});
