import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import {
  deliver,
  type EventRow,
  lookFromOutside,
  type NotificationFields,
  notificationFor,
  type Outside,
} from './outside.ts';

let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'event rows', skipsPauses: true });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const { chooseInMenu } = makeStageActions(() => stage);
const project = '412-873-550';
const follow = (options = '') => outside.following(`/subscribe project ${project} ${options}`.trim());
type Up = Parameters<typeof notificationFor>[0] & { uri: string };
async function notify(up: Up, fields: NotificationFields = {}): Promise<string> {
  const body = notificationFor(up, fields);
  const answer = await deliver(up.uri, body);
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  return String(body.Id);
}
const settled = (channel: Channel, count = 1) =>
  outside.rows(channel, ({ state }) => state !== 'pending', count);
const stateOf = ({ state, reason }: EventRow) => [state, reason];
const messageOf = (channel: Channel, row: EventRow | undefined) =>
  stage.slack.messages(channel).find(({ ts }) => ts === row?.message_ts);
const textOf = (message: ReturnType<typeof messageOf>) =>
  message === undefined ? 'no message' : stage.slack.textOf(message);

test('schema plancast, table events has the columns of the contract with their types', async () => {
  const columns = await outside.query(
    "select column_name, data_type from information_schema.columns where table_schema = 'plancast' and table_name = 'events'",
  );
  const types = Object.fromEntries(columns.map(({ column_name, data_type }) => [column_name, data_type]));
  expect(types).toMatchObject({
    notification_id: 'text',
    subscription_id: 'uuid',
    service_subscription_id: 'bigint',
    team_id: 'text',
    channel_id: 'text',
    state: 'text',
    reason: 'text',
    message_ts: 'text',
    received_at: 'timestamp with time zone',
    posted_at: 'timestamp with time zone',
  });
});

test('a posted event says so, with the message that shows it', async () => {
  const { channel, up } = await follow();
  const id = await notify(up, { path: 'Root/Plans/Shown.pdf' });
  const [row] = await settled(channel);
  expect(row).toMatchObject({
    notification_id: id,
    service_subscription_id: String(up.id),
    team_id: stage.teamId,
    channel_id: channel.id,
    state: 'posted',
    reason: null,
  });
  const [ours] = await outside.query('select id from plancast.subscriptions where channel_id = $1', [
    channel.id,
  ]);
  expect(row?.subscription_id).toBe(ours?.id);
  expect(textOf(messageOf(channel, row))).toContain('Shown.pdf');
  expect(row?.posted_at?.getTime()).toBeGreaterThanOrEqual(row?.received_at.getTime() ?? Number.NaN);
});

test('one row per notification and subscription: two subscriptions make two rows with one Id', async () => {
  const [one, other] = [await follow(), await follow()];
  const id = randomUUID();
  await notify(one.up, { id });
  await notify(other.up, { id });
  for (const { channel } of [one, other]) {
    expect((await settled(channel)).map(({ notification_id }) => notification_id)).toEqual([id]);
  }
});

test('the notification_id is the Id in lowercase without braces, however it was sent', async () => {
  const { channel, up } = await follow('digest hourly');
  const id = randomUUID();
  await notify(up, { id: id.toUpperCase() });
  await notify(up, { id: `{${id.toUpperCase()}}` });
  await notify(up, { id });
  expect((await outside.events(channel)).map(({ notification_id }) => notification_id)).toEqual([id]);
});

test('a missing Id is replaced with "derived:" and 32 hex digits, equal for equal notifications and different for different ones', async () => {
  const { channel, up } = await follow('digest hourly');
  const { Id: _id, ...body } = notificationFor(up, { path: 'Root/Plans/NoId.pdf' });
  const { Id: _other, ...other } = notificationFor(up, { path: 'Root/Plans/Other.pdf' });
  for (const each of [body, body, other]) expect((await deliver(up.uri, each)).status).toBe(200);
  expect((await deliver(up.uri, [body, other])).status).toBe(200);
  const ids = (await outside.events(channel)).map(({ notification_id }) => notification_id);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(id).toMatch(/^derived:[0-9a-f]{32}$/);
});

test.each(['', '   ', null, 'not-a-guid', 42])(
  'with the Id %j a notification is stored anyway',
  async (id) => {
    const { channel, up } = await follow('digest hourly');
    const answer = await deliver(up.uri, { ...notificationFor(up), Id: id });
    expect(answer.status).toBe(200);
    const [row] = await outside.events(channel);
    expect(row?.notification_id).toMatch(/^(derived:[0-9a-f]{32}|not-a-guid|42)$/);
  },
);

test('when the same Id arrives with another body, the first one is kept', async () => {
  const { channel, up } = await follow();
  const id = randomUUID();
  await notify(up, { id, path: 'Root/Plans/First.pdf' });
  await notify(up, { id, path: 'Root/Plans/Second.pdf' });
  const [row] = await settled(channel);
  expect(textOf(messageOf(channel, row))).toContain('First.pdf');
  expect(await outside.events(channel)).toHaveLength(1);
});

test('message_ts is the message that shows the event, also if that message was edited to show it', async () => {
  const { channel, up } = await follow();
  const names = Array.from({ length: 12 }, (_, at) => `Burst ${at}.pdf`);
  for (const name of names) await notify(up, { path: `Root/Plans/${name}` });
  const rows = await settled(channel, names.length);
  expect(rows.map(stateOf)).toEqual(names.map(() => ['posted', null]));
  for (const row of rows) expect(messageOf(channel, row)).toBeDefined();
  const shown = new Set(rows.map(({ message_ts }) => message_ts));
  expect(shown.size).toBeLessThan(names.length);
});

// Filtered.

test.each<[string, NotificationFields, string]>([
  ['only create', { type: 'Delete' }, 'type'],
  ['in "Details/**"', { path: 'Root/Plans/A.pdf' }, 'path'],
  ['by sam@example.com', { user: 'lee@example.com' }, 'person'],
  ['not by lee@example.com', { user: 'Lee@Example.com' }, 'person'],
])(
  'an event that "%s" excludes is filtered, and the reason says by which filter',
  async (options, fields, reason) => {
    const { channel, up } = await follow(options);
    await notify(up, fields);
    const [row] = await settled(channel);
    expect(row && stateOf(row)).toEqual(['filtered', reason]);
    expect(row?.message_ts).toBeNull();
    expect(row?.posted_at).toBeNull();
  },
);

test('if several filters exclude an event, the reason is the first of type, person, path', async () => {
  const { channel, up } = await follow('only create in "Details/**" by sam@example.com');
  const wrong = { type: 'Delete', path: 'Root/Plans/A.pdf', user: 'lee@example.com' };
  const passes = { type: 'Create', path: 'Root/Details/A.pdf', user: 'sam@example.com' };
  const cases: [NotificationFields, string | null][] = [
    [wrong, 'type'],
    [{ ...wrong, path: passes.path }, 'type'],
    [{ ...wrong, type: 'Create' }, 'person'],
    [{ ...wrong, type: 'Create', user: passes.user }, 'path'],
    [{ ...wrong, user: passes.user }, 'type'],
    [passes, null],
  ];
  const wanted = new Map<string, string | null>();
  for (const [fields, reason] of cases) wanted.set(await notify(up, fields), reason);
  const rows = await settled(channel, cases.length);
  expect(new Map(rows.map((row) => [row.notification_id, row.reason]))).toEqual(wanted);
});

test('a muted item comes after the type and before the person and the path', async () => {
  const { channel, up, owner } = await follow('only create in "Plans/**" not by lee@example.com');
  const path = 'Root/Plans/Muted.pdf';
  const muted = { itemId: 'muted', user: 'sam@example.com', path };
  await notify(up, muted);
  const message = await stage.slack.waitForMessage(channel, 'Muted.pdf');
  await chooseInMenu(owner, message, 'mute');
  await stage.slack.waitForMessage(channel, 'muted');
  const wrong = { ...muted, user: 'lee@example.com', path: 'Root/Details/Muted.pdf' };
  const wanted = new Map([
    [await notify(up, { ...wrong, type: 'Update' }), 'type'],
    [await notify(up, wrong), 'item'],
    [await notify(up, { ...wrong, itemId: 'other' }), 'person'],
  ]);
  const rows = await outside.rows(channel, ({ state }) => state === 'filtered', wanted.size);
  expect(new Map(rows.map((row) => [row.notification_id, row.reason]))).toEqual(wanted);
});

test('a session document is matched by its name, and the session itself passes every glob', async () => {
  const { channel, up } = await outside.following('/subscribe session 731-450-286 in "Curtain*"');
  const send = (resourceType: string, name: string) =>
    notify(up, { resourceType, name, path: null, resource: '/Primes/4021/Sessions/731450286/' });
  const wanted = new Map([
    [await send('SessionDocuments', 'Curtain wall.pdf'), 'posted'],
    [await send('SessionDocuments', 'Roof.pdf'), 'filtered'],
    [await send('Sessions', 'Coordination'), 'posted'],
  ]);
  const rows = await settled(channel, wanted.size);
  expect(new Map(rows.map((row) => [row.notification_id, row.state]))).toEqual(wanted);
});

test('in a followed folder an event without an IdPath is filtered, path, and its row keeps no name, path or person', async () => {
  const { data } = stage.service;
  const plans = data.item(data.project(project), 'Plans').id;
  const { channel, up } = await outside.following(`/subscribe folder ${project} ${plans}`);
  const resource = '/Primes/4021/Projects/412873550/';
  const { ExtraInformation, ...body } = notificationFor(up, { path: 'Root/Plans/Nowhere.pdf', resource });
  await deliver(up.uri, { ...body, ExtraInformation: { ...(ExtraInformation as object), IdPath: null } });
  const [row] = await settled(channel);
  expect(row && stateOf(row)).toEqual(['filtered', 'path']);
  expect(JSON.stringify(row)).not.toMatch(/Nowhere|lee@example/);
});

test('an event still pending when its subscription is removed becomes filtered, ended', async () => {
  const { channel, up, owner } = await follow('digest hourly');
  await notify(up);
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'digest');
  await outside.announced(owner, `/unsubscribe project ${project}`, { channel, wanted: /removed/ });
  await outside.wakeLanes();
  const [row] = await settled(channel);
  expect(row && stateOf(row)).toEqual(['filtered', 'ended']);
});

// Pending.

test("an event that waits for a digest is pending, digest; at the digest's hour one message shows all of them", async () => {
  const { channel, up } = await follow('digest hourly');
  for (const name of ['A', 'B', 'C']) await notify(up, { path: `Root/Plans/${name}.pdf` });
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'digest', 3);
  const shown = stage.slack.messages(channel).length;
  await outside.wakeLanes();
  expect(stage.slack.messages(channel)).toHaveLength(shown);
  stage.advance(3_600_000);
  await outside.wakeLanes();
  const rows = await outside.rows(channel, ({ state }) => state === 'posted', 3);
  expect(new Set(rows.map(({ message_ts }) => message_ts)).size).toBe(1);
  expect(stage.slack.messages(channel)).toHaveLength(shown + 1);
});

test('a digest is one message in the channel, also where threads are on and its items were posted before', async () => {
  const { channel, up } = await follow('digest hourly threads');
  const shown = stage.slack.messages(channel).length;
  for (const hour of [1, 2]) {
    for (const itemId of ['one', 'two']) await notify(up, { itemId, type: hour === 1 ? 'Create' : 'Update' });
    stage.advance(3_600_000);
    await outside.wakeLanes();
    await outside.rows(channel, ({ state }) => state === 'posted', 2 * hour);
  }
  const digests = stage.slack.messages(channel).slice(shown);
  expect(digests.map(({ threadTs }) => threadTs)).toEqual([undefined, undefined]);
});

test('an event that arrives while the channel is muted is pending, muted', async () => {
  const { channel, up, owner } = await follow();
  await outside.announced(owner, '/plancast mute 2h', { channel, wanted: /muted/ });
  await notify(up);
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'muted');
});

test('when the mute is over, one summary shows what was held back', async () => {
  const { channel, up, owner } = await follow();
  await outside.announced(owner, '/plancast mute 2h', { channel, wanted: /muted/ });
  for (const name of ['A', 'B', 'C']) await notify(up, { path: `Root/Plans/${name}.pdf` });
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'muted', 3);
  stage.advance(2 * 3_600_000 + 1_000);
  await outside.wakeLanes();
  const rows = await outside.rows(channel, ({ state }) => state === 'posted', 3);
  expect(new Set(rows.map(({ message_ts }) => message_ts)).size).toBe(1);
});

test('an event that arrives while the channel is closed to the bot is pending, paused, and is posted once it is open again', async () => {
  const { channel, up } = await follow();
  await stage.slack.archive(channel, stage.dana);
  await notify(up, { path: 'Root/Plans/Waiting.pdf' });
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'paused');
  await stage.slack.unarchive(channel, stage.dana);
  const [row] = await outside.rows(channel, ({ state }) => state === 'posted');
  expect(textOf(messageOf(channel, row))).toContain('Waiting.pdf');
});

test('the same if Slack reports the closed channel only when something is posted', async () => {
  const { channel, up } = await follow();
  channel.isArchived = true;
  await notify(up);
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'paused');
});

test('an event that was pending for more than a week is filtered, stale, and counted in the next summary', async () => {
  const { channel, up } = await follow();
  await stage.slack.archive(channel, stage.dana);
  for (const name of ['Old 1', 'Old 2', 'Old 3']) await notify(up, { path: `Root/Plans/${name}.pdf` });
  await outside.rows(channel, ({ state, reason }) => state === 'pending' && reason === 'paused', 3);
  stage.advance(7 * 86_400_000 + 60_000);
  await notify(up, { path: 'Root/Plans/New.pdf' });
  await stage.slack.unarchive(channel, stage.dana);
  await outside.wakeLanes();
  const rows = await settled(channel, 4);
  expect(rows.slice(0, 3).map(stateOf)).toEqual([
    ['filtered', 'stale'],
    ['filtered', 'stale'],
    ['filtered', 'stale'],
  ]);
  expect(rows[3] && stateOf(rows[3])).toEqual(['posted', null]);
  expect(textOf(messageOf(channel, rows[3]))).toMatch(/\b3\b/);
});

test('an event that cannot be posted because Slack is down is pending without a reason, and is posted once Slack is up', async () => {
  const { channel, up } = await follow();
  const fault = stage.slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    status: 503,
    times: Number.POSITIVE_INFINITY,
  });
  await notify(up, { path: 'Root/Plans/Down.pdf' });
  await expect.poll(() => fault.hits()).toBeGreaterThan(0);
  const [row] = await outside.events(channel);
  expect(row && stateOf(row)).toEqual(['pending', null]);
  fault.clear();
  stage.advance(60_000);
  await outside.wakeLanes();
  const [after] = await outside.rows(channel, ({ state }) => state === 'posted');
  expect(textOf(messageOf(channel, after))).toContain('Down.pdf');
});

test("an event that Slack refuses in any form is dead, with Slack's error, and the lane continues", async () => {
  const { channel, up } = await follow();
  const fault = stage.slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    error: 'invalid_blocks',
    times: Number.POSITIVE_INFINITY,
  });
  await notify(up);
  const [row] = await outside.rows(channel, ({ state }) => state === 'dead');
  expect(row && stateOf(row)).toEqual(['dead', 'invalid_blocks']);
  expect(row?.message_ts).toBeNull();
  fault.clear();
  await notify(up, { path: 'Root/Plans/Next.pdf' });
  const [next] = await outside.rows(channel, ({ state }) => state === 'posted');
  expect(textOf(messageOf(channel, next))).toContain('Next.pdf');
});

test('every notification answered 200 is in the table', async () => {
  const { channel, up } = await follow('only delete');
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await notify(up));
  const rows = await settled(channel, 20);
  expect(new Set(rows.map(({ notification_id }) => notification_id))).toEqual(new Set(ids));
  expect(rows).toHaveLength(20);
});

test('states and reasons are only those of the contract', async () => {
  const known: Readonly<Record<string, readonly (string | null)[]>> = {
    pending: [null, 'muted', 'digest', 'paused'],
    posted: [null],
    filtered: ['type', 'item', 'path', 'person', 'covered', 'ended', 'stale'],
    dead: ['invalid_blocks'],
  };
  const rows = await outside.query('select distinct state, reason from plancast.events');
  expect(
    rows.filter(({ state, reason }) => !known[String(state)]?.includes(reason as string | null)),
  ).toEqual([]);
});

test('outside a followed folder the reason is path, whatever else leaves an event out, and its row goes after 24 hours', async () => {
  const { data } = stage.service;
  const plans = data.item(data.project(project), 'Plans').id;
  const options = 'only deleted not by lee@example.com in "Level 1"';
  const { channel, up } = await outside.following(`/subscribe folder ${project} ${plans} ${options}`);
  const { ExtraInformation, ...body } = notificationFor(up, { path: 'Root/Details/Outside.pdf' });
  const idPath = 'root/details/outside';
  await deliver(up.uri, { ...body, ExtraInformation: { ...(ExtraInformation as object), IdPath: idPath } });
  const [row] = await settled(channel);
  expect(row && stateOf(row)).toEqual(['filtered', 'path']);
  expect(JSON.stringify(row)).not.toMatch(/Outside|lee@example/);
  stage.advance(25 * 60 * 60_000);
  await stage.bot.runChore('tidy');
  expect(await outside.events(channel)).toEqual([]);
});

test('every notification answered 200 stays in the table until RETENTION_DAYS have passed, and is then deleted', async () => {
  const { channel, up } = await follow();
  await notify(up);
  await settled(channel);
  stage.advance(29 * 86_400_000);
  await stage.bot.runChore('tidy');
  expect(await outside.events(channel)).toHaveLength(1);
  stage.advance(2 * 86_400_000);
  await stage.bot.runChore('tidy');
  expect(await outside.events(channel)).toEqual([]);
});
