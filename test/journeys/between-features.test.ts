import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import {
  deliver,
  lookFromOutside,
  notificationFor,
  type Outside,
  type Upstream,
} from '../contract/outside.ts';
import { sessionsAtLocks } from '../support/postgres.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'between features', skipsPauses: true });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const textOf = (message: Message) => stage.slack.textOf(message);
const textsIn = (channel: Channel) => stage.slack.messages(channel).map(textOf);
const follow = (options = '', owner?: User) =>
  outside.following(`/subscribe project ${project} ${options}`.trim(), { owner });
const stateIn = (channel: Channel) =>
  outside.query('select state, reason, owner_user_id from plancast.subscriptions where channel_id = $1', [
    channel.id,
  ]);
const { press } = makeStageActions(() => stage);

async function notify(up: Upstream, fields: Parameters<typeof notificationFor>[1]): Promise<string> {
  const body = notificationFor(up, fields);
  const { status } = await deliver(up.uri, body);
  expect(status).toBe(200);
  return String(body.Id);
}

/** A linked person, and the command and press that end the link. */
const linked = (realName: string) => outside.member({ account: 'dana@example.com', realName });
async function unlink(user: User): Promise<void> {
  const question = await outside.ask(user, '/plancast unlink', { wanted: /Unlink/ });
  await outside.press(user, question, 'Unlink', /no longer linked/);
}

async function pause(user: User, channel: Channel): Promise<Message> {
  const list = await outside.ask(user, '/subscriptions', { channel, wanted: /This channel has 1/ });
  await press(user, list, 'Pause');
  return stage.slack.waitForMessage(channel, 'paused the subscription');
}

test('the bot is removed, the owner unlinks meanwhile, and the bot is invited again: the channel is notified that a member can take over', async () => {
  const { slack, sam } = stage;
  const owner = await linked('Una Unlinks');
  const { channel } = await follow('', owner);
  await slack.removeBot(channel, sam);
  await unlink(owner);
  await slack.inviteBot(channel, sam);
  const paused = await slack.waitForMessage(channel, 'unlinked their account');
  expect(textsIn(channel).join('\n')).not.toContain('posting here again');
  expect(await stateIn(channel)).toMatchObject([{ state: 'paused', reason: 'unlinked' }]);

  const colleague = await linked('Tara Takes');
  channel.members.add(colleague.id);
  await press(colleague, paused, 'Take over');
  await slack.waitForMessage(channel, 'took over');
  await notify(outside.newest(), { path: 'Root/Plans/Carried on.pdf' });
  await slack.waitForMessage(channel, 'Carried on.pdf');
});

test('a subscription is paused, its owner unlinks, and a member resumes it: they read that it can be taken over', async () => {
  const { slack } = stage;
  const owner = await linked('Uri Unlinks');
  const { channel } = await follow('', owner);
  const paused = await pause(owner, channel);
  await unlink(owner);
  const colleague = await linked('Rosa Resumes');
  channel.members.add(colleague.id);
  await press(colleague, paused, 'Resume');
  await slack.waitForMessage(channel, 'unlinked their account');
  expect(await stateIn(channel)).toMatchObject([{ state: 'paused', reason: 'unlinked' }]);
});

test('a subscription is paused, its owner unlinks, and a member types it again: they read that it can be taken over, and once it is, it posts', async () => {
  const { slack } = stage;
  const owner = await linked('Ute Unlinks');
  const { channel } = await follow('', owner);
  await pause(owner, channel);
  await unlink(owner);
  const colleague = await linked('Toni Types');
  channel.members.add(colleague.id);
  await stage.type(colleague, `/subscribe project ${project}`, channel);
  const left = await slack.waitForMessage(channel, 'unlinked their account');
  expect(await stateIn(channel)).toMatchObject([{ state: 'paused', owner_user_id: owner.id }]);
  await press(colleague, left, 'Take over');
  await slack.waitForMessage(channel, 'took over');
  expect(await stateIn(channel)).toMatchObject([{ state: 'active', owner_user_id: colleague.id }]);
  await notify(outside.newest(), { path: 'Root/Plans/Posted again.pdf' });
  await slack.waitForMessage(channel, 'Posted again.pdf');
});

test('an owner links again, and one of their two subscriptions has changes: nothing above them says that there were none', async () => {
  const { slack, service } = stage;
  const owner = await linked('Rita Relinks');
  const { channel, up } = await follow('', owner);
  await outside.announced(owner, '/subscribe session 731-450-286', { channel });
  service.revoke('dana@example.com');
  stage.advance(61 * 60_000);
  await stage.checkLinks();
  await slack.waitForMessage(channel, '2 subscriptions are paused');
  await notify(up, { path: 'Root/Plans/Meanwhile.pdf' });
  await outside.link(owner, 'dana@example.com');
  await slack.waitForMessage(channel, /While paused: 1 change.*Meanwhile\.pdf/s);
  expect(textsIn(channel).join('\n')).not.toContain('No changes');
});

test('what was held for a mute is posted before what comes right after it is over', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow();
  await outside.announced(owner, '/plancast mute 1m', { channel, wanted: /muted/ });
  const file = { itemId: '700001', path: 'Root/Plans/Held.pdf' };
  await notify(up, file);
  await outside.rows(channel, ({ reason }) => reason === 'muted');
  stage.advance(61_000);
  await notify(up, { ...file, type: 'Delete' });
  await slack.waitForMessage(channel, /deleted.*Held\.pdf/s);
  const [added, deleted] = await outside.rows(channel, ({ state }) => state === 'posted', 2);
  expect(Number(added?.message_ts)).toBeLessThan(Number(deleted?.message_ts));
});

test('what waits for a digest is posted before what comes after the digest was turned off', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow('digest hourly');
  const file = { itemId: '700002', path: 'Root/Plans/Waited.pdf' };
  await notify(up, file);
  await outside.rows(channel, ({ reason }) => reason === 'digest');
  await outside.announced(owner, `/subscribe project ${project} live`, { channel, wanted: /changed/ });
  await notify(up, { ...file, type: 'Delete' });
  await slack.waitForMessage(channel, /deleted.*Waited\.pdf/s);
  const [added, deleted] = await outside.rows(channel, ({ state }) => state === 'posted', 2);
  expect(Number(added?.message_ts)).toBeLessThan(Number(deleted?.message_ts));
});

test('a project is deleted whose deletions the channel filters: the row says so, and the channel is notified that the subscription ended', async () => {
  const { slack } = stage;
  const { channel, up } = await follow('only added');
  const resource = '/Primes/4021/Projects/412873550/';
  await notify(up, { type: 'Delete', resourceType: 'Projects', resource, path: null });
  await slack.waitForMessage(channel, /ended: the project was deleted/);
  const [row] = await outside.events(channel);
  expect(row).toMatchObject({ state: 'filtered', reason: 'type', message_ts: null });
  expect(await stateIn(channel)).toMatchObject([{ state: 'ended', reason: 'deleted' }]);
  expect(textsIn(channel).filter((text) => /ended/.test(text))).toHaveLength(1);
});

test('a mute typed where the bot cannot post is refused, in private', async () => {
  const { slack, sam } = stage;
  await outside.ask(sam, '/plancast mute 2h', { channel: stage.secret, wanted: /\/invite/ });
  const { channel, owner } = await follow();
  await slack.removeBot(channel, sam);
  await outside.ask(owner, '/plancast mute 2h', { channel, wanted: /\/invite/ });
});

test('in a channel that the bot was removed from, unmute and unsubscribe are confirmed in private', async () => {
  const { slack, sam } = stage;
  const { channel, owner } = await follow();
  await outside.announced(owner, '/plancast mute 2h', { channel, wanted: /muted/ });
  await slack.removeBot(channel, sam);
  await outside.ask(owner, '/plancast unmute', { channel, wanted: /unmuted/ });
  await outside.ask(owner, `/unsubscribe project ${project}`, {
    channel,
    wanted: /removed the subscription/,
  });
  expect(await stateIn(channel)).toMatchObject([{ state: 'ended', reason: 'removed' }]);
});

test('a notification that is being stored while its subscription is resumed is posted anyway', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow();
  const paused = await pause(owner, channel);
  const { pool } = stage.database.connect();
  const client = await pool.connect();
  try {
    // Storing waits for this lock, and sees the subscription as it was before.
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7305)');
    // Answered 503 if this takes longer than the receiver's time limit, but stored anyway.
    const stored = deliver(up.uri, notificationFor(up, { path: 'Root/Plans/In between.pdf' }));
    await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);
    await press(owner, paused, 'Resume');
    await expect.poll(() => stateIn(channel)).toMatchObject([{ state: 'active' }]);
    await client.query('commit');
    await stored;
  } finally {
    client.release();
  }
  await slack.waitForMessage(channel, 'In between.pdf');
});

test('a notification that is being stored while its digest is switched to live is posted at once', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow('digest daily 09:00');
  const { pool } = stage.database.connect();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7305)');
    const stored = deliver(up.uri, notificationFor(up, { path: 'Root/Plans/Live by now.pdf' }));
    await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);
    await outside.announced(owner, `/subscribe project ${project} live`, { channel, wanted: /changed/ });
    await client.query('commit');
    await stored;
  } finally {
    client.release();
  }
  await slack.waitForMessage(channel, 'Live by now.pdf');
});

test('a notification that is being stored while its subscription is paused waits until that is resumed', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow();
  const { pool } = stage.database.connect();
  const client = await pool.connect();
  let paused: Message;
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7305)');
    const stored = deliver(up.uri, notificationFor(up, { path: 'Root/Plans/Just before.pdf' }));
    await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);
    paused = await pause(owner, channel);
    await client.query('commit');
    await stored;
  } finally {
    client.release();
  }
  await outside.rows(channel, ({ reason }) => reason === 'paused');
  await press(owner, paused, 'Resume');
  await slack.waitForMessage(channel, 'Just before.pdf');
});

test('Slack did not let the bot post in a channel, and now it does: subscribing there makes it post again', async () => {
  const { slack } = stage;
  const { channel, up, owner } = await follow();
  slack.fault({ method: 'chat.postMessage', channel: channel.id, error: 'restricted_action' });
  await notify(up, { path: 'Root/Plans/Refused.pdf' });
  await outside.rows(channel, ({ reason }) => reason === 'paused');
  await stage.type(owner, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'Refused.pdf');
  await slack.waitForMessage(channel, /to this channel.*731-450-286/s);
});

test('the service is down while I subscribe, and the bot is removed from the channel and invited again: the subscription is set up anyway', async () => {
  const { slack, service, sam } = stage;
  const { channel, owner } = await follow();
  const fault = service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await outside.ask(owner, '/subscribe project 538-204-917', { channel, wanted: /538-204-917/ });
  await slack.removeBot(channel, sam);
  fault.remove();
  await slack.inviteBot(channel, sam);
  await slack.waitForMessage(channel, 'posting here again');

  stage.advance(60_000);
  await stage.bot.runChore('sweep');

  await slack.waitForMessage(channel, /to this channel.*538-204-917/s);
  expect(await stateIn(channel)).toMatchObject([{ state: 'active' }, { state: 'active' }]);
});

test('one person changes the filters while the service still sets up the scope that another asked for: both changes hold', async () => {
  const { service } = stage;
  const { channel, owner } = await follow();
  const colleague = await linked('Fay Filters');
  channel.members.add(colleague.id);
  const fault = service.faults.set({ endpoint: 'create', kind: 'delay', ms: 1_500, times: 1 });
  const scope = outside.announced(owner, `/subscribe project ${project} itself`, {
    channel,
    wanted: /Now project only/,
  });
  await expect.poll(() => fault.hits()).toBe(1);
  await outside.announced(colleague, `/subscribe project ${project} only delete`, {
    channel,
    wanted: /Now posting/,
  });
  await scope;

  const rows = await outside.query(
    "select comprehensive, filters -> 'only' as only, owner_user_id from plancast.subscriptions where channel_id = $1",
    [channel.id],
  );
  expect(rows).toEqual([{ comprehensive: false, only: ['delete'], owner_user_id: owner.id }]);
});

test('one person changes a subscription at the moment another removes it: they read that it is gone, and the channel only that it was removed', async () => {
  const { channel, owner } = await follow();
  const colleague = await linked('Remi Removes');
  channel.members.add(colleague.id);
  const { pool } = stage.database.connect();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from plancast.subscriptions where channel_id = $1 for update', [channel.id]);
    const removed = outside.announced(colleague, `/unsubscribe project ${project}`, {
      channel,
      wanted: /removed/,
    });
    await expect.poll(() => sessionsAtLocks(pool)).toBe(1);
    const gone = outside.ask(owner, `/subscribe project ${project} only delete`, {
      channel,
      wanted: /no longer exists/,
    });
    await expect.poll(() => sessionsAtLocks(pool)).toBe(2);
    await client.query('commit');
    await Promise.all([removed, gone]);
  } finally {
    client.release();
  }
  expect(textsIn(channel).filter((text) => /changed/.test(text))).toEqual([]);
});
