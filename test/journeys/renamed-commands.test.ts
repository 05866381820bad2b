import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const project = '412-873-550';
const subscribeLine = `/studio-subscribe project ${project}`;
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'renamed',
    skipsPauses: true,
    env: { SLACK_SUBSCRIBE_COMMAND: '/studio-subscribe' },
  });
});
afterAll(() => stage.close());

const { newChannel, following, press } = makeStageActions(() => stage);

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

test('a command that waits for its person to link is named as they typed it', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('waited', [dana]);
  await stage.type(dana, subscribeLine, channel);
  const offer = await slack.waitForEphemeral(dana, 'I’ll finish');
  expect(textOf(offer)).toContain(`I’ll finish \`${subscribeLine}\``);
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'dana@example.com');
  await slack.waitForMessage(channel, 'to this channel');
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

test('commands that people type under another name are answered with that name', async () => {
  const { dana, slack } = stage;
  const channel = newChannel('other name', [dana]);
  await following(dana, channel, `/acme-subscribe project ${project}`);
  await stage.type(dana, '/acme-subscribe help', channel);
  await slack.waitForEphemeral(dana, '/acme-subscribe');
});
