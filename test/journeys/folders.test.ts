import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { bodyOf, type Notice, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let plans: string;
beforeAll(async () => {
  stage = await setStage({ name: 'folders', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  const { data } = stage.service;
  plans = data.item(data.project(project), 'Plans').id;
});
afterAll(() => stage.close());

const { newChannel, following, listOf, press, query } = makeStageActions(() => stage);

const act = (...given: Parameters<Stage['service']['act']>) => stage.service.act(...given);
const addFile = (parent: string, name: string) =>
  act('dana@example.com', { action: 'create-file', project, parent, name });
const rowsOf = (channel: Channel) =>
  query(
    'select state, reason, notification from plancast.events where channel_id = $1 order by received_at, seq',
    [channel.id],
  );
const textsIn = (channel: Channel) =>
  stage.slack.messages(channel).map((message) => stage.slack.textOf(message));

test('/subscribe folder posts what happens in the folder, and nothing else of its project', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('in a folder', [dana]);
  const made = await following(dana, channel, `/subscribe folder ${project} ${plans} as "The plans"`);
  expect(slack.textOf(made)).toContain('The plans');
  expect(slack.textOf(made)).toContain('Folder and contents.');
  expect(
    stage.service.log.of('request').findLast(({ method, status }) => method === 'POST' && status === 200),
  ).toMatchObject({
    path: expect.stringContaining('comprehensive'),
    form: { ParentResourceType: 'Projects' },
  });

  addFile('Plans', 'Inside.pdf');
  await slack.waitForMessage(channel, 'Inside.pdf');
  addFile('Details', 'Outside.pdf');
  await expect
    .poll(async () => (await rowsOf(channel)).at(-1))
    .toMatchObject({ state: 'filtered', reason: 'path' });
  const { notification } = (await rowsOf(channel)).at(-1);
  expect(notification).toMatchObject({ name: null, path: null, actorEmail: null });
  expect(notification.idPath).toEqual(expect.any(String));

  // Renaming the folder does not change what is posted.
  act('dana@example.com', { action: 'rename-item', project, item: 'Plans', name: 'Drawings' });
  await slack.waitForMessage(channel, 'Drawings');
  addFile('Drawings', 'Still inside.pdf');
  await slack.waitForMessage(channel, 'Still inside.pdf');

  // An item that leaves the folder is posted once, as moved, and not anymore afterwards.
  act('dana@example.com', { action: 'move-item', project, item: 'Drawings/Inside.pdf', to: 'Details' });
  await slack.waitForMessage(channel, /moved.*Inside\.pdf/s);
  act('dana@example.com', { action: 'check-in', project, item: 'Details/Inside.pdf' });
  await expect
    .poll(async () => (await rowsOf(channel)).at(-1))
    .toMatchObject({ state: 'filtered', reason: 'path' });
  expect(textsIn(channel).join('\n')).not.toContain('Outside.pdf');
  act('dana@example.com', { action: 'rename-item', project, item: 'Drawings', name: 'Plans' });
  await slack.waitForMessage(channel, /Drawings.*Plans/s);

  // Nor does moving it.
  act('dana@example.com', { action: 'move-item', project, item: 'Plans', to: 'Details' });
  await slack.waitForMessage(channel, /moved folder.*Plans/s);
  addFile('Details/Plans', 'Inside again.pdf');
  await slack.waitForMessage(channel, 'Inside again.pdf');
  act('dana@example.com', { action: 'move-item', project, item: 'Details/Plans' });
  await slack.waitForMessage(channel, /moved folder.*top level/s);
});

test('a file leaves the folder that I may see: its message, Show all, why and a recap say from where, not to where', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('left behind', [dana, sam]);
  await following(dana, channel, `/subscribe folder ${project} ${plans} digest hourly`);
  act('dana@example.com', { action: 'create-folder', project, name: 'Layoffs' });
  for (const name of ['One.pdf', 'Two.pdf']) {
    addFile('Plans', name);
    act('dana@example.com', { action: 'move-item', project, item: `Plans/${name}`, to: 'Layoffs' });
  }
  await expect.poll(async () => (await rowsOf(channel)).length).toBe(5);
  await stage.type(dana, `/subscribe folder ${project} ${plans} live`, channel);
  const message = await slack.waitForMessage(channel, /Two\.pdf/);
  await press(sam, message, 'Show all 4');
  const list = slack.textOf(await slack.waitForView(sam, 'One.pdf'));
  const shown = slack.ephemerals(sam).length;
  for (const line of ['/plancast why', '/plancast recap']) await stage.type(sam, line, channel);
  await expect.poll(() => slack.ephemerals(sam).length).toBe(shown + 2);
  const said = [...textsIn(channel), list, ...slack.ephemerals(sam).map((each) => slack.textOf(each))];
  expect(said.join('\n')).toMatch(/moved .*One\.pdf.* from Plans/);
  expect(said.join('\n')).not.toContain('Layoffs');
});

test('I forge a press with the number of a change that waits outside of the folder: nobody reads its name', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('forged', [dana, sam]);
  const made = await following(dana, channel, `/subscribe folder ${project} ${plans} digest hourly`);
  addFile('Details', 'Bonus list.pdf');
  await expect.poll(async () => (await rowsOf(channel)).length).toBe(1);
  const [{ seq }] = await query('select seq::text from plancast.events where channel_id = $1', [channel.id]);
  const undo = slack.button(made, 'Undo');
  for (const act of ['mute-item', 'hide-person', 'follow-item']) {
    const shown = slack.ephemerals(sam).length;
    const element = { ...undo.element, value: JSON.stringify({ act, seq }) };
    await slack.click({ user: sam, message: made, element: { ...undo, element } });
    await expect.poll(() => slack.ephemerals(sam).length).toBe(shown + 1);
    expect(slack.ephemerals(sam).at(-1)?.text).toMatch(/^The details of this change are no longer stored/);
  }
  expect(textsIn(channel)).toHaveLength(1);
});

test('a file leaves the folder, and a subscription of the channel that filters that is notified first: it is posted, once', async () => {
  const { slack, dana, service } = stage;
  const channel = newChannel('two subscriptions', [dana]);
  const newest = () => service.subscriptions.all().at(-1)?.uri ?? '';
  await following(dana, channel, `/subscribe project ${project} only deleted`);
  const whole = newest();
  await stage.type(dana, `/subscribe folder ${project} ${plans}`, channel);
  await slack.waitForMessage(channel, 'Folder and contents.');
  const inside = newest();
  /** Notifies of a change, first the subscription to the project. Returns what became of both events. */
  const both = async (notice: Omit<Notice, 'item' | 'name'>) => {
    const known = (await rowsOf(channel)).length;
    const change = { item: 'leaving', name: 'Leaving.pdf', at: new Date(), ...notice };
    for (const uri of [whole, inside]) {
      await notify(uri, change);
      await expect.poll(async () => (await rowsOf(channel)).at(-1)?.state).not.toBe('pending');
    }
    return (await rowsOf(channel)).slice(known).map(({ state, reason }) => reason ?? state);
  };
  const there = { path: 'Root/Details/Leaving.pdf', idPath: 'root/details/leaving' };
  expect(await both({ path: 'Root/Plans/Leaving.pdf', idPath: `root/${plans}/leaving` })).toEqual([
    'type',
    'posted',
  ]);
  expect(await both({ eventType: 'Update', ...there })).toEqual(['type', 'posted']);
  expect(textsIn(channel).at(-1)).toMatch(/moved.*Leaving\.pdf/s);
  expect(await both({ eventType: 'Update', ...there })).toEqual(['type', 'path']);
});

test('the project and its folder are different subscriptions, and one can be removed without the other', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('both', [dana]);
  await following(dana, channel, `/subscribe folder ${project} ${plans}`);
  await stage.type(dana, `/subscribe project ${project}`, channel);
  await expect
    .poll(() =>
      query("select 1 from plancast.subscriptions where channel_id = $1 and state = 'active'", [channel.id]),
    )
    .toHaveLength(2);
  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'Dana Reyes removed');
  expect(
    await query("select kind from plancast.subscriptions where channel_id = $1 and state = 'active'", [
      channel.id,
    ]),
  ).toEqual([{ kind: 'folder' }]);
});

test('deleting the project ends the subscription to its folder and removes its remote subscription', async () => {
  const { slack, dana, service } = stage;
  const other = '555-000-111';
  act('dana@example.com', { action: 'create-project', name: 'Short Lived', id: other });
  act('dana@example.com', { action: 'create-folder', project: other, name: 'Only' });
  const { data } = service;
  const folder = data.item(data.project(other), 'Only').id;
  const channel = newChannel('short lived', [dana]);
  await following(dana, channel, `/subscribe folder ${other} ${folder}`);
  act('dana@example.com', { action: 'delete-project', project: other });
  await slack.waitForMessage(channel, 'deleted');
  await expect
    .poll(() => query('select state, reason from plancast.subscriptions where channel_id = $1', [channel.id]))
    .toEqual([{ state: 'ended', reason: 'deleted' }]);
  await expect
    .poll(() =>
      service.subscriptions
        .all()
        .filter(({ place }) => 'projectId' in place && place.projectId === '555000111'),
    )
    .toEqual([]);
});

test('deleting the folder is posted whatever is filtered, ends the subscription and removes its remote subscription', async () => {
  const { slack, dana, service } = stage;
  act('dana@example.com', { action: 'create-folder', project, name: 'Doomed' });
  const { data } = service;
  const folder = data.item(data.project(project), 'Doomed').id;
  const channel = newChannel('doomed', [dana]);
  await following(dana, channel, `/subscribe folder ${project} ${folder} only added`);
  const { uri } = service.subscriptions.all().at(-1) ?? {};
  act('dana@example.com', { action: 'delete-item', project, item: 'Doomed' });
  await slack.waitForMessage(channel, 'ended: the folder was deleted');
  await expect.poll(() => service.subscriptions.all().filter((each) => each.uri === uri)).toEqual([]);
});

test.each([403, 404])(
  'if the service refuses the project with %i, the member can subscribe to only the folder with one press',
  async (status) => {
    const { slack, dana, service } = stage;
    const channel = newChannel('refused', [dana]);
    const fault = service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status });
    await stage.type(dana, `/subscribe folder ${project} ${plans}`, channel);
    const question = await slack.waitForEphemeral(dana, /can’t subscribe to the whole project/);
    fault.remove();
    await press(dana, question, 'Subscribe to the folder only');
    const made = await slack.waitForMessage(channel, 'to this channel');
    expect(slack.textOf(made)).toContain('Folder only.');
    expect(
      await query(
        "select comprehensive from plancast.subscriptions where channel_id = $1 and state = 'active'",
        [channel.id],
      ),
    ).toEqual([{ comprehensive: false }]);
  },
);

/** Follows a folder of which no notification says where a change is, in a channel of its own. */
async function followedBlindly(folder: string): Promise<Channel> {
  const { dana, service } = stage;
  const channel = newChannel('no places', [dana]);
  await following(dana, channel, `/subscribe folder ${project} ${folder}`);
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  const body = bodyOf({ item: 'x', name: 'Nowhere.pdf' });
  const ExtraInformation = { ...body.ExtraInformation, IdPath: null };
  await fetch(uri, { method: 'POST', body: JSON.stringify({ ...body, ExtraInformation }) });
  await expect.poll(() => rowsOf(channel)).toHaveLength(1);
  return channel;
}

/** Returns the form that the doctor offers instead. */
async function offeredInstead(channel: Channel) {
  const { slack, dana } = stage;
  await stage.type(dana, '/plancast doctor', channel);
  const report = await slack.waitForEphemeral(
    dana,
    ({ channelId, text }) => channelId === channel.id && text.includes('I found 1 problem'),
  );
  await press(dana, report, 'Open the form');
  return slack.waitForView(dana, ({ privateMetadata }) => privateMetadata.includes(channel.id));
}

test('if notifications do not say which folder a change is in, the list and the doctor say so', async () => {
  const { slack, dana } = stage;
  const channel = await followedBlindly(plans);
  expect(slack.textOf(await listOf(dana, channel))).toContain(
    'Nothing can be posted: the service doesn’t say which folder each change is in',
  );
  expect(held(await offeredInstead(channel), 'paths')).toBe('Plans');
});

test('a folder whose name starts with "!" is not excluded from the project that is offered instead', async () => {
  const form = await offeredInstead(await followedBlindly('f-odd as "!Old"'));
  expect(JSON.stringify(form.blocks)).not.toContain('!Old');
});
