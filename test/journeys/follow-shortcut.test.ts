import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const tower = '412-873-550';
const link = `https://plans.example/projects/${tower}`;

let stage: Stage;
let plans: Channel;
beforeAll(async () => {
  const env = { SERVICE_PROJECT_URL: 'https://plans.example/projects/{project}' };
  stage = await setStage({ name: 'follow shortcut', skipsPauses: true, env });
  await stage.link(stage.dana, 'dana@example.com');
  plans = stage.slack.addChannel({ members: [stage.dana, stage.sam] });
});
afterAll(() => stage.close());

const { following, press } = makeStageActions(() => stage);

/** Posts a message of Dana's, of which Slack sends `more` along, and chooses Follow this link in its menu. */
async function follow(text: string, more: object = {}, channel = plans) {
  const { slack, dana } = stage;
  const { message } = await slack.write({ user: dana, channel, text });
  Object.assign(message, more);
  const shown = slack.ephemerals(dana).length;
  await slack.shortcut({ user: dana, callbackId: 'follow', message });
  return { answered: () => expect.poll(() => slack.ephemerals(dana).slice(shown)).toHaveLength(1), shown };
}

async function formFor(id: string, channelId: string | null = plans.id) {
  const { slack, dana } = stage;
  const view = await slack.waitForView(
    dana,
    ({ privateMetadata, blocks }) =>
      JSON.parse(privateMetadata).channelId === channelId && JSON.stringify(blocks).includes(id),
  );
  await slack.closeView({ user: dana, viewId: view.id });
}

const textLink = {
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url: link }] }],
};
test.each([
  ['its text', `Look: ${link}?tab=1&x=2`, {}],
  ['its blocks', 'Look', { blocks: [textLink] }],
  [
    'a section',
    'Look',
    { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `<${link}|the tower>` } }] },
  ],
  ['an attachment', 'Look', { attachments: [{ title_link: link, text: 'the tower' }] }],
])('a link in %s opens the form, filled in with it', async (_where, text, more) => {
  await follow(text, more);
  await formFor(tower);
});

test('the same link twice, and links to elsewhere, make no question', async () => {
  await follow(`${link} ${link}/?a=1 https://elsewhere.example/projects/999-888-777`);
  await formFor(tower);
});

test('of several links, one question asks which, with a button each', async () => {
  const { slack, dana } = stage;
  await (await follow(`${link} https://plans.example/projects/538204917`)).answered();
  const question = slack.ephemerals(dana).at(-1);
  expect(question?.text).toBe(
    `Which one do you want to follow?\nProject \`${tower}\`\nProject \`538-204-917\``,
  );
  const buttons = JSON.stringify(question).match(/"value":"/g);
  expect(buttons).toHaveLength(2);
  if (question) await press(dana, question, 'Follow');
  await formFor(tower);
});

test('a link that only a command would understand counts where none fits the admin’s addresses', async () => {
  await follow('https://other.example/open?session=731-450-286');
  await formFor('731-450-286');
});

test('a message without such a link is answered, and so is one whose link the channel follows', async () => {
  const { slack, dana, sam } = stage;
  await (await follow('Nothing here')).answered();
  expect(slack.ephemerals(dana).at(-1)?.text).toMatch(/^I found no link to a project/);

  const channel = slack.addChannel({ members: [dana, sam] });
  await following(dana, channel, `/subscribe project ${tower}`);
  await (await follow(link, {}, channel)).answered();
  expect(slack.ephemerals(dana).at(-1)?.text).toMatch(/^This channel follows it since/);
});

test('a guest chooses Follow this link on a message with twenty thousand links: they take no time from everybody else', async () => {
  const { slack, dana, guest } = stage;
  const { message } = await slack.write({ user: dana, channel: plans, text: 'Links' });
  const links = Array.from({ length: 20_000 }, (_, index) => `https://a.example/${index}`);
  Object.assign(message, { attachments: [{ text: links.join(' ') }] });
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  await slack.shortcut({ user: guest, callbackId: 'follow', message });
  await slack.waitForEphemeral(guest, /guests can’t/i);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(500);
});

test('in a direct message between people, the form asks for the channel', async () => {
  const { slack, dana, sam } = stage;
  const direct = slack.addChannel({ members: [dana, sam], kind: 'im', botIn: false });
  await follow(link, {}, direct);
  await formFor(tower, null);
});
