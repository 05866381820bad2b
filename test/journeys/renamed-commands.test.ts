import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
const subscribeLine = `/studio-subscribe project ${project}`;
let stage: Stage;
const written: string[] = [];
beforeAll(async () => {
  stage = await setStage({
    name: 'renamed',
    skipsPauses: true,
    env: { SLACK_SUBSCRIBE_COMMAND: '/studio-subscribe' },
    onLog: (line) => written.push(line),
  });
});
afterAll(() => stage.close());

const { choose, newChannel, following, listOf, openForm, press } = makeStageActions(() => stage);

const textOf = (shown: Message | View) => stage.slack.textOf(shown);

/** Returns everything that people saw: messages in channels, private answers, direct messages, and Home. */
function everythingShown(): string[] {
  const { slack, dana, sam } = stage;
  const seenBy = (user: User) => [
    ...slack.ephemerals(user),
    ...slack.directMessages(user),
    ...[slack.homeView(user)].filter((view) => view !== undefined),
  ];
  const posted = [...slack.channels.values()].flatMap((channel) => slack.messages(channel));
  return [...posted, ...seenBy(dana), ...seenBy(sam)].map(textOf);
}

test('Home names the command before anybody has typed one', async () => {
  const { slack, dana } = stage;
  await slack.openHome(dana);
  const home = await slack.waitForHome(dana, 'You’re not linked');

  expect(textOf(home)).toContain('In a channel, type `/studio-subscribe`');
});

/** Presses Undo below the announcement of a subscription; returns what the removal says. */
async function undone(channel: Channel): Promise<string> {
  const { slack, dana } = stage;
  await press(dana, await slack.waitForMessage(channel, 'subscribed this channel'), 'Undo');
  return textOf(await slack.waitForMessage(channel, 'removed the subscription'));
}

test('Undo of a command that waited for its person to link names the command that subscribes again', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('waited', [dana]);
  await stage.type(dana, subscribeLine, channel);
  const offer = await slack.waitForEphemeral(dana, 'Link your account');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'dana@example.com');

  expect(await undone(channel)).toContain(`Subscribe again: \`${subscribeLine}\``);
});

test('the form that a shortcut opens shows the line to type, and Undo names it, too', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('by shortcut', [dana]);
  const first = await openForm(dana, () => slack.shortcut({ user: dana, callbackId: 'subscribe' }));
  const form = await choose(dana, first, project);
  const state = { channel: channel.id };
  await slack.click({ user: dana, view: form, actionId: 'form_preview', state });
  await slack.waitForView(dana, `Same as typing \`${subscribeLine}`);
  await slack.closeView({ user: dana });
  await slack.submitView({ user: dana });

  expect(await undone(channel)).toContain(`Subscribe again: \`${subscribeLine}\``);
});

test('what Remove in a list announces names the command that subscribes again', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('removed', [dana]);
  await following(dana, channel, subscribeLine);
  await press(dana, await listOf(dana, channel, '/studio-subscriptions'), 'Remove');

  expect(textOf(await slack.waitForMessage(channel, 'removed the subscription'))).toContain(
    `Subscribe again: \`${subscribeLine}\``,
  );
});

test('Undo of a subscription that a background job finished names the command that subscribes again', async () => {
  const { slack, service, dana } = stage;
  const channel = newChannel('finished later', [dana]);
  const fault = service.faults.set({ endpoint: 'create comprehensive', kind: 'answer', status: 503 });
  await stage.type(dana, subscribeLine, channel);
  await expect.poll(() => fault.hits()).toBeGreaterThan(0);
  await slack.waitForEphemeral(dana, ({ channelId }) => channelId === channel.id);
  fault.remove();
  stage.advance(60_000);
  await stage.bot.runChore('sweep');

  expect(await undone(channel)).toContain(`Subscribe again: \`${subscribeLine}\``);
});

test('when an owner unlinks, the channel reads that others can take the subscription over, with a button and no command', async () => {
  const { slack, sam } = stage;
  const channel = newChannel('left', [sam]);
  await stage.link(sam, 'sam@example.com');
  await following(sam, channel, subscribeLine);
  await stage.type(sam, '/plancast unlink');
  await press(sam, await slack.waitForEphemeral(sam, 'Unlink your account'), 'Unlink');

  const paused = await slack.waitForMessage(channel, 'unlinked their account');
  expect(textOf(paused)).toContain('Anyone here with a linked account can take it over.');
  expect(slack.button(paused, 'Take over')).toBeDefined();
});

test('nothing that people saw so far names a command that Slack does not know', () => {
  const shown = everythingShown();

  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((text) => /\/(un)?subscri(be|ptions)\b/.test(text))).toEqual([]);
});

test('commands that people type under another name are answered, and the log has one warning for the operator', async () => {
  const { dana, slack } = stage;
  const warning = /under another name than SLACK_SUBSCRIBE_COMMAND says/;
  const warnings = () => written.filter((line) => warning.test(line)).map((line) => JSON.parse(line));
  expect(warnings()).toEqual([]);
  const channel = newChannel('other name', [dana]);
  await following(dana, channel, `/acme-subscribe project ${project}`);
  await stage.type(dana, `/acme-unsubscribe project ${project}`, channel);
  const removed = await slack.waitForMessage(channel, 'removed the subscription');
  expect(textOf(removed)).toContain(`Subscribe again: \`/acme-subscribe project ${project}\``);

  expect(warnings()).toMatchObject([{ level: 'warn', team: stage.teamId }]);
});
