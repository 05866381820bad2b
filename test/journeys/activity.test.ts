import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Message } from '../../sandbox/slack/messages.ts';
import { dayMs } from '../../src/lib/durations.ts';
import { holdCommits } from '../faults/support/hold-commits.ts';
import { followed } from '../support/followed.ts';
import { bodyOf, notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'activity',
    skipsPauses: true,
    env: { SERVICE_ITEM_URL: 'https://plans.example/{project}/items/{item}' },
  });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { chooseInMenu } = makeStageActions(() => stage);

test('Dana opens the file of an activity message, asks why she sees it, and edits its subscription', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'menu');
  await notify(uri, { item: 'a b', name: 'Roof.pdf', path: 'Root/Plans/Roof.pdf' });
  const message = await slack.waitForMessage(channel, 'Roof.pdf');
  expect(slack.textOf(message)).toContain('<https://plans.example/412-873-550/items/a%20b|Roof.pdf>');

  const answers = slack.ephemerals(dana).length;
  await chooseInMenu(dana, message, 'why');
  await expect.poll(() => slack.ephemerals(dana).length).toBe(answers + 1);
  expect(slack.ephemerals(dana).at(-1)?.text).toContain('412-873-550');

  await chooseInMenu(dana, message, 'edit');
  await expect.poll(() => slack.openViews(dana).at(-1)?.callbackId).toBe('subscribe');

  // A month later the message is still there, and its event is not.
  stage.advance(31 * dayMs);
  await stage.bot.runChore('tidy');
  await chooseInMenu(dana, message, 'edit');
  await slack.waitForEphemeral(dana, 'The details of this change are no longer stored');
});

test('in a channel shared with another organization nothing is linked until a member shows everything', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'shared');
  await slack.shareChannel(channel);
  const announced = await slack.waitForMessage(channel, 'shared with another organization');
  await notify(uri, { item: 'one', name: 'One.pdf' });
  const hidden = await slack.waitForMessage(channel, 'One.pdf');
  expect(slack.textOf(hidden)).not.toContain('plans.example');
  await slack.click({ user: dana, message: announced, element: slack.button(announced, 'Show everything') });
  await slack.waitForMessage(channel, 'allowed full names and folder paths');
  await notify(uri, { item: 'two', name: 'Two.pdf' });
  expect(slack.textOf(await slack.waitForMessage(channel, 'Two.pdf'))).toContain('plans.example');
});

test('an item whose id is a step in a path has no link, which would lead elsewhere', async () => {
  const { channel, uri } = await followed(stage, 'steps');
  await notify(uri, { item: '..', name: 'Up.pdf', idPath: 'root/..' });
  const message = await stage.slack.waitForMessage(channel, 'Up.pdf');
  expect(stage.slack.textOf(message)).not.toContain('plans.example');
});

test('a workspace that turned off signs sees none under Show all either', async () => {
  const { slack, teamId, plans } = stage;
  const ada = slack.addUser({ teamId, name: 'Ada Admin', isAdmin: true });
  plans.members.add(ada.id);
  const signs = async (isOn: boolean) => {
    await stage.type(ada, '/plancast settings');
    const form = await slack.waitForView(ada, 'Settings');
    const values = { settings_who: 'everyone', settings_signs: isOn ? ['signs'] : [] };
    await slack.submitView({ user: ada, viewId: form.id, values });
  };
  const { channel, uri } = await followed(stage, 'no signs');
  await signs(false);
  await Promise.all(
    ['A.pdf', 'B.pdf', 'C.pdf', 'D.pdf', 'E.pdf'].map((name) => notify(uri, { item: name, name })),
  );
  const message = await slack.waitForMessage(channel, /Show all/);
  const view = await showAll(message);
  expect(slack.textOf(view)).toContain('added');
  expect(slack.textOf(view)).not.toContain('➕');
  await signs(true);

  async function showAll(shown: Message) {
    await slack.click({ user: stage.dana, message: shown, actionId: 'show-all' });
    return slack.waitForView(stage.dana, 'All changes');
  }
});

test('Show all is pressed before the bot stored what the message shows: it says so, and lists the changes as soon as it can', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage, 'pressed at once');
  const held = await holdCommits(stage.database.url, {
    table: 'plancast.events',
    act: 'update',
    when: `new.channel_id = '${channel.id}'`,
  });
  const names = ['A.pdf', 'B.pdf', 'C.pdf', 'D.pdf', 'E.pdf'];
  const together = names.map((name) => bodyOf({ item: name, name }));
  await fetch(uri, { method: 'POST', body: JSON.stringify(together) });
  const message = await slack.waitForMessage(channel, /Show all/);
  const press = () => slack.click({ user: dana, message, actionId: 'show-all' });
  await held.reached(1);
  await press();
  await slack.waitForView(dana, 'still being stored');

  const pressedAgain = press();
  await held.release();
  await pressedAgain;
  await slack.waitForView(dana, 'E.pdf');
});

test('a digest has a heading with counts for each project, and one row for a file, whatever happened to it', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550 digest hourly', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  const names = Array.from({ length: 12 }, (_, index) => `Sheet ${index}.pdf`);
  const send = (eventType: 'Create' | 'Update' | 'Delete', name: string) =>
    notify(uri, { item: name, name, eventType, at: stage.now() });
  for (const name of names) await send('Create', name);
  for (let save = 0; save < 3; save += 1) await send('Update', 'Sheet 5.pdf');
  await send('Delete', 'Old.pdf');
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  const digest = await slack.waitForMessage(channel, '16 changes');

  expect(slack.textOf(digest)).toMatch(/12 added, 3 updated, 1 deleted\n.*deleted.*Old\.pdf/);
  expect(slack.textOf(digest)).toMatch(/Sheet 5\.pdf.*: added, updated 3 times · .*Sam Okafor/);
  expect(slack.textOf(digest)).toContain('added 11 files');
  expect(slack.messages(channel).at(-1)).toBe(digest);
});
