import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
let stage: Stage;
let lee: User;
beforeAll(async () => {
  stage = await setStage({ name: 'names', skipsPauses: true });
  lee = stage.slack.addUser({ teamId: stage.teamId, realName: 'Lee Park', email: 'lee@example.com' });
  stage.plans.members.add(lee.id);
  await stage.link(lee, 'lee@example.com');
  await stage.link(stage.dana, 'dana@example.com');
  await stage.link(stage.sam, 'sam@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf } = makeStageActions(() => stage);

const act = (...given: Parameters<Stage['service']['act']>) => stage.service.act(...given);
const asDana = (action: Parameters<Stage['service']['act']>[1]) => act('dana@example.com', action);
const idOf = (path: string) => stage.service.data.item(stage.service.data.project(project), path).id;
const textOf = (message: Message) => stage.slack.textOf(message);

test('a project whose name one channel has learned is called by that name in another whose owner can see it', async () => {
  const { slack, dana, sam } = stage;
  const first = newChannel('first', [dana]);
  await following(dana, first, `/subscribe project ${project}`);
  asDana({ action: 'rename-project', project, name: 'Harbour Tower' });
  await slack.waitForMessage(first, 'Harbour Tower');

  const second = newChannel('second', [sam]);
  expect(textOf(await following(sam, second, `/subscribe project ${project}`))).toContain(
    'project *Harbour Tower* and its contents',
  );
  const third = newChannel('third', [sam]);
  const folder = await following(sam, third, `/subscribe folder ${project} ${idOf('Plans')}`);
  expect(textOf(folder)).toContain('in *Harbour Tower*');

  // A person whose access the service has not confirmed reads only the id.
  const fourth = newChannel('fourth', [lee]);
  const item = idOf('Plans/Level 1/A-101 Floor plan.pdf');
  const file = await following(lee, fourth, `/subscribe file ${project} ${item} itself`);
  expect(textOf(file)).toContain(`in project ${project}`);
  expect(textOf(file)).not.toContain('Harbour');
});

test('a name that a member typed stays in its own channel, and also names the project of a file there', async () => {
  const { slack, dana } = stage;
  const other = '555-000-222';
  asDana({ action: 'create-project', name: 'Unheard', id: other });
  asDana({ action: 'create-file', project: other, name: 'Only.pdf' });
  const { data } = stage.service;
  const channel = newChannel('nicknames', [dana]);
  await following(dana, channel, `/subscribe file ${other} ${data.item(data.project(other), 'Only.pdf').id}`);
  await stage.type(dana, `/subscribe project ${other} only delete as "The quay"`, channel);
  await slack.waitForMessage(channel, /subscribed this channel to project/);
  const list = await listOf(dana, channel);
  expect(textOf(list)).toContain('file and its new versions, in *The quay*');
  const elsewhere = newChannel('elsewhere', [dana]);
  const unnamed = await following(dana, elsewhere, `/subscribe project ${other}`);
  expect(textOf(unnamed)).toContain(`project ${other}`);
});

test("what a member's own channels have learned about files and folders supplies their previous names", async () => {
  const { slack, dana } = stage;
  const hers = newChannel('hers', [dana]);
  await following(dana, hers);
  const file = 'Plans/Level 2/A-201 Floor plan.pdf';
  asDana({ action: 'check-in', project, item: file });
  await slack.waitForMessage(hers, 'A-201 Floor plan.pdf');
  const alsoHers = newChannel('also hers', [dana]);
  await following(dana, alsoHers);
  const theirs = newChannel('theirs', [lee]);
  await following(lee, theirs);

  asDana({ action: 'rename-item', project, item: file, name: 'A-201 Doors.pdf' });
  for (const channel of [hers, alsoHers]) {
    const message = await slack.waitForMessage(channel, 'A-201 Doors.pdf');
    expect(textOf(message)).toContain('renamed *A-201 Floor plan.pdf* → *A-201 Doors.pdf*');
  }
  const seen = textOf(await slack.waitForMessage(theirs, 'A-201 Doors.pdf'));
  expect(seen).toContain('updated *A-201 Doors.pdf*');
  expect(seen).not.toContain('Floor plan');

  // No channel has seen an event of the folder itself, only of a file in it.
  asDana({ action: 'rename-item', project, item: 'Plans/Level 2', name: 'Second floor' });
  for (const channel of [hers, alsoHers, theirs]) {
    const message = await slack.waitForMessage(channel, 'Second floor');
    expect(textOf(message)).toContain('renamed folder *Level 2* → *Second floor* in Plans');
  }
});

test('a folder that a channel does not follow is called "another folder" there', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('details only', [dana]);
  await following(dana, channel, `/subscribe project ${project} in "Details/**"`);
  const all = newChannel('everything', [dana]);
  await following(dana, all);
  asDana({ action: 'create-file', project, parent: 'Plans', name: 'Secret stair.pdf' });
  await slack.waitForMessage(all, 'Secret stair.pdf');
  asDana({ action: 'move-item', project, item: 'Plans/Secret stair.pdf', to: 'Details' });
  expect(textOf(await slack.waitForMessage(channel, 'Secret stair.pdf'))).toContain(
    'moved *Secret stair.pdf*: another folder → Details',
  );
  expect(textOf(await slack.waitForMessage(all, 'moved'))).toContain(
    'moved *Secret stair.pdf*: Plans → Details',
  );
});
