import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { bodyOf } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { held, makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let names = 0;
beforeAll(async () => {
  stage = await setStage({ name: 'files', skipsPauses: true });
  // The side on which a plain subscription to a file misses its saves.
  stage.service.switches.set({ checkInToPlainFile: 'no' });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
beforeEach(() => stage.service.faults.clear());
afterAll(() => stage.close());

const { newChannel, following, listOf, press, query } = makeStageActions(() => stage);

const act = (...given: Parameters<Stage['service']['act']>) => stage.service.act(...given);
const rowOf = async (channel: Channel) =>
  (
    await query('select state, comprehensive from plancast.subscriptions where channel_id = $1', [channel.id])
  ).at(-1);
const eventsOf = (channel: Channel) =>
  query('select state, reason, notification from plancast.events where channel_id = $1 order by seq', [
    channel.id,
  ]);
const remote = () => stage.service.subscriptions.all().at(-1);
const refuseProject = (status: number) =>
  stage.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status });

/** Adds a file to the project. Returns its name and id. */
function newFile(parent = 'Plans') {
  names += 1;
  const name = `F-${names}.pdf`;
  act('dana@example.com', { action: 'create-file', project, parent, name });
  const { data } = stage.service;
  return { name, path: `${parent}/${name}`, id: data.item(data.project(project), `${parent}/${name}`).id };
}
const save = (path: string) => act('dana@example.com', { action: 'check-in', project, item: path });

test('I follow a file and read of its new versions, its rename and its move, and of nothing else in its project', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('a file', [dana]);
  const [file, other] = [newFile(), newFile()];
  const made = await following(dana, channel, `/subscribe file ${project} ${file.id}`);
  expect(slack.textOf(made)).toContain('File and new versions.');
  expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: true });
  expect(remote()).toMatchObject({ comprehensive: true, place: { projectId: project.replaceAll('-', '') } });

  save(other.path);
  save(file.path);
  await slack.waitForMessage(channel, file.name);
  act('dana@example.com', { action: 'rename-item', project, item: file.path, name: 'Renamed.pdf' });
  await slack.waitForMessage(channel, /renamed.*Renamed\.pdf/s);
  act('dana@example.com', { action: 'move-item', project, item: 'Plans/Renamed.pdf', to: 'Details' });
  await slack.waitForMessage(channel, /moved.*Renamed\.pdf/s);
  save('Details/Renamed.pdf');
  await expect
    .poll(async () => (await eventsOf(channel)).filter(({ state }) => state === 'posted').length)
    .toBe(4);

  const filtered = (await eventsOf(channel)).filter(({ state }) => state === 'filtered');
  expect(filtered).toHaveLength(1);
  expect(filtered[0]).toMatchObject({
    reason: 'path',
    notification: { name: null, path: null, actorEmail: null },
  });
  expect(
    slack
      .messages(channel)
      .map((message) => slack.textOf(message))
      .join('\n'),
  ).not.toContain(other.name);
  expect(slack.textOf(await listOf(dana, channel))).toContain('file and new versions');
});

test('I type a file’s name in the place of its id, and read that no such id is known', async () => {
  const { slack, dana } = stage;
  const name = 'A-101 Floor plan.pdf';
  await following(dana, newChannel('a name as an id', [dana]), `/subscribe file ${project} "${name}"`);
  const warning = await slack.waitForEphemeral(dana, 'I haven’t seen a file with the id');
  expect(slack.textOf(warning)).toContain(`\`${name}\` yet. If that’s its name, type its id`);

  const [file, after] = [newFile(), newChannel('an id', [dana])];
  await following(dana, after, `/subscribe file ${project} ${file.id}`);
  expect(slack.ephemerals(dana, after)).toEqual([]);
});

test('a notification without an IdPath is of the file if its Resource has the id of the file', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('by resource', [dana]);
  await following(dana, channel, `/subscribe file ${project} by-resource as "Gate.pdf"`);
  const uri = remote()?.uri ?? '';
  for (const item of ['another', 'by-resource']) {
    const body = bodyOf({ item, name: `${item}.pdf` });
    const ExtraInformation = { ...body.ExtraInformation, IdPath: null };
    const Resource = `/Primes/1/Projects/${project}/ProjectItems/${item}`;
    await fetch(uri, { method: 'POST', body: JSON.stringify({ ...body, Resource, ExtraInformation }) });
  }
  await slack.waitForMessage(channel, 'by-resource.pdf');
  await expect
    .poll(async () => (await eventsOf(channel)).map(({ state }) => state))
    .toEqual(['filtered', 'posted']);
});

test('the file is deleted, or its project: that is posted, and the subscription ends', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('deleted file', [dana]);
  const file = newFile();
  await following(dana, channel, `/subscribe file ${project} ${file.id} only added`);
  const { uri } = remote() ?? {};
  act('dana@example.com', { action: 'delete-item', project, item: file.path });
  await slack.waitForMessage(channel, 'ended: the file was deleted');
  await expect.poll(() => stage.service.subscriptions.all().filter((each) => each.uri === uri)).toEqual([]);

  const other = '555-000-222';
  act('dana@example.com', { action: 'create-project', name: 'Gone Soon', id: other });
  act('dana@example.com', { action: 'create-file', project: other, name: 'Only.pdf' });
  const { data } = stage.service;
  const only = data.item(data.project(other), 'Only.pdf').id;
  const second = newChannel('deleted project', [dana]);
  await following(dana, second, `/subscribe file ${other} ${only}`);
  act('dana@example.com', { action: 'delete-project', project: other });
  await expect.poll(() => rowOf(second)).toMatchObject({ state: 'ended' });
  await slack.waitForMessage(second, 'deleted');
});

test.each([403, 404])(
  'the service refuses the project with %i: I follow the file itself, and the answer says that new versions may not be reported',
  async (status) => {
    const { slack, dana } = stage;
    const channel = newChannel('refused project', [dana]);
    const file = newFile();
    refuseProject(status);
    const made = await following(dana, channel, `/subscribe file ${project} ${file.id}`);
    expect(slack.textOf(made)).toContain('File only; new versions may not be reported.');
    await slack.waitForEphemeral(
      dana,
      /can’t subscribe to the whole project.*New versions may not be reported/s,
    );
    expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: false });
    expect(slack.textOf(await listOf(dana, channel))).toContain(
      'file only; new versions may not be reported',
    );
    await stage.type(dana, '/plancast doctor', channel);
    await slack.waitForEphemeral(dana, /may not report its new versions/);
    act('dana@example.com', { action: 'rename-item', project, item: file.path, name: `Again-${file.name}` });
    await slack.waitForMessage(channel, `Again-${file.name}`);
  },
);

test('I import a file whose project the service refuses: it is followed by itself, and counts as imported', async () => {
  const { slack, dana } = stage;
  stage.advance(60_000);
  const channel = newChannel('imported', [dana]);
  const values = { import_text: `#imported\n/subscribe file ${project} ${newFile().id}` };
  await stage.type(dana, '/plancast import', channel);
  const form = await slack.waitForView(dana, 'Import subscriptions');
  await slack.submitView({ user: dana, viewId: form, values });
  const checked = await slack.waitForView(dana, 'Adds 1 subscription.');
  refuseProject(403);
  await slack.submitView({ user: dana, viewId: checked, values });
  await slack.waitForEphemeral(dana, ({ text }) => text === 'Imported 1 subscription.');
  await slack.waitForMessage(channel, 'new versions may not be reported');
  stage.advance(60_000);
});

test('the service refuses the file too: its answer is shown, and nothing is kept', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('refused file', [dana]);
  stage.service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 403 });
  stage.service.faults.set({ endpoint: 'create', kind: 'answer', status: 403 });
  await stage.type(dana, `/subscribe file ${project} ${newFile().id}`, channel);
  await slack.waitForEphemeral(dana, /Nothing changed/);
  expect(await rowOf(channel)).toMatchObject({ state: 'ended' });
});

test('I type itself: the subscription is to the file alone, which the announcement and the form say; without it, to its versions', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('file itself', [dana]);
  const file = newFile();
  const made = await following(dana, channel, `/subscribe file ${project} ${file.id} itself`);
  expect(slack.textOf(made)).toContain('File only; new versions may not be reported.');
  expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: false });
  expect(remote()).toMatchObject({ comprehensive: false });
  await press(dana, made, 'Edit');
  const view = await slack.waitForView(dana, 'Scope');
  expect(held(view, 'scope')).toMatchObject({ value: 'plain' });

  await stage.type(dana, `/subscribe file ${project} ${file.id}`, channel);
  const changed = await slack.waitForMessage(channel, 'changed the subscription');
  expect(slack.textOf(changed)).toContain('Now file and new versions (was: file only');
  expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: true });
  save(file.path);
  await slack.waitForMessage(channel, file.name);
});

test('I change a file of an older release: it gets its new versions, or if its project is refused, the rest of the change', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('older file', [dana]);
  const file = newFile();
  await following(dana, channel, `/subscribe file ${project} ${file.id} itself`);
  refuseProject(403);
  await stage.type(dana, `/subscribe file ${project} ${file.id} only deleted`, channel);
  await slack.waitForEphemeral(dana, /New versions may not be reported/);
  const changed = await slack.waitForMessage(channel, 'changed the subscription');
  expect(slack.textOf(changed)).not.toContain('file and new versions');
  expect(slack.textOf(changed)).toContain('deleted');
  expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: false });

  stage.service.faults.clear();
  await stage.type(dana, `/subscribe file ${project} ${file.id}`, channel);
  await slack.waitForMessage(channel, 'Now file and new versions');
  expect(await rowOf(channel)).toEqual({ state: 'active', comprehensive: true });
});

test('another member wants the new versions of a file that I follow by itself: they are asked first, with both scopes', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('two members', [dana, sam]);
  const file = newFile();
  await following(dana, channel, `/subscribe file ${project} ${file.id} itself`);
  await stage.type(sam, `/subscribe file ${project} ${file.id}`, channel);
  const question = await slack.waitForEphemeral(
    sam,
    /file only; new versions may not be reported.*Change it to file/s,
  );
  await press(sam, question, 'Change scope');
  await slack.waitForMessage(channel, 'owns it now');
  expect(await rowOf(channel)).toMatchObject({ comprehensive: true });
});

test('what a remote subscription to the whole project still sends after I narrowed it to the file itself is not posted', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('narrowed', [dana]);
  const [file, other] = [newFile(), newFile()];
  await following(dana, channel, `/subscribe file ${project} ${file.id}`);
  const { uri = '' } = remote() ?? {};
  // The service refuses once to delete the wider one.
  stage.service.faults.set({ endpoint: 'delete', kind: 'answer', status: 503, times: 1 });
  await stage.type(dana, `/subscribe file ${project} ${file.id} itself`, channel);
  await slack.waitForMessage(channel, 'changed the subscription');
  const body = bodyOf({ item: other.id, name: other.name });
  expect((await fetch(uri, { method: 'POST', body: JSON.stringify(body) })).status).toBe(200);
  await expect
    .poll(async () => (await eventsOf(channel)).at(-1))
    .toMatchObject({ state: 'filtered', reason: 'path' });
});

test('I follow twenty folders and files of a project: the next one is answered with the project and a filter', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('twenty', [dana, sam]);
  const lines = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0 ? `file ${project} many-${n} as "Sheet ${n}"` : `folder ${project} many-${n} as "Sheet ${n}"`,
  );
  for (const line of lines) {
    // Thirty commands a minute are the most.
    stage.advance(3_000);
    await stage.type(dana, `/subscribe ${line}`, channel);
    await slack.waitForMessage(channel, line.slice(line.indexOf('"') + 1, -1));
  }
  const count = async () =>
    (
      await query("select 1 from plancast.subscriptions where channel_id = $1 and state = 'active'", [
        channel.id,
      ])
    ).length;
  await expect.poll(count).toBe(20);
  await stage.type(dana, `/subscribe file ${project} one-more as "One more"`, channel);
  const offer = await slack.waitForEphemeral(dana, /already follow 20 folders and files of .* here/);
  expect(await count()).toBe(20);
  // Another member, and another channel, have their own.
  await stage.type(sam, `/subscribe file ${project} of-sam as "Of Sam"`, channel);
  await slack.waitForMessage(channel, 'Of Sam');
  // What a change of scope would make hers counts too.
  await stage.type(dana, `/subscribe file ${project} of-sam itself`, channel);
  const question = await slack.waitForEphemeral(dana, /owns this channel’s subscription.*Of Sam/s);
  const refusals = () => slack.ephemerals(dana).filter(({ text }) => text.includes('already follow 20'));
  await press(dana, question, 'Change scope');
  await expect.poll(refusals).toHaveLength(2);
  await following(dana, newChannel('elsewhere', [dana]), `/subscribe file ${project} elsewhere`);

  await press(dana, offer, 'Subscribe to the project');
  await slack.waitForMessage(channel, /added project .*17 more/s);
});
