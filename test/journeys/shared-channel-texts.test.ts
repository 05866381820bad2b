import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { makeChannelActions } from '../support/channel-actions.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'shared texts',
    skipsPauses: true,
    env: { SERVICE_ITEM_URL: 'https://studio.example/projects/{project}/files/{item}' },
  });
  await stage.link(stage.dana, 'dana@example.com');
});
// A member has thirty actions a minute, and this file needs more.
beforeEach(() => stage.advance(61_000));
afterAll(() => stage.close());

const { choose, chooseInMenu, openForm, openMore, press } = makeStageActions(() => stage);
const { notify } = makeChannelActions(() => stage);

const stranger = 'contractor@other-firm.example';
/** Filters of every shape. `Bidding` and `Root` are parent folders in all of them. */
const filters = [
  '"Bidding/Offers"',
  '"Bidding/Offers/**"',
  '"Bidding/Offers/*.pdf"',
  '"/Bidding/Offers/Level 1/"',
  '"Root/Bidding/Offers/**/*.dwg"',
  '"{Bidding/Offers,Root/Bidding/Plans}/*.dwg"',
  '"Bidding/{Offers/A,Plans}/**"',
  '"!Bidding/Secret"',
  '"!Root/Bidding/{Old,Older}/**"',
].join(' ');

/** Waits for what a command, a press or a shortcut is answered with, and returns it. */
async function answerTo(act: () => Promise<unknown>): Promise<Message> {
  const { slack, dana } = stage;
  const from = slack.ephemerals(dana).length;
  await act();
  await expect.poll(() => slack.ephemerals(dana).length).toBeGreaterThan(from);
  const answer = slack.ephemerals(dana)[from];
  if (!answer) throw new Error('no answer');
  return answer;
}

/** Subscribes a channel that is shared with another organization. Returns the new callback URL. */
async function subscribeShared(channel: Channel, line: string): Promise<string> {
  const { service, slack, dana } = stage;
  const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
  const question = await answerTo(() => stage.type(dana, line, channel));
  await press(dana, question, 'Subscribe anyway');
  await slack.waitForMessage(channel, 'to this channel');
  await slack.waitForMessage(channel, 'shared with another organization');
  const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri;
  if (!uri) throw new Error('nothing was subscribed');
  return uri;
}

const newView = async (open: () => Promise<unknown>, contains: string): Promise<View> => {
  const { slack, dana } = stage;
  const before = slack.lastView(dana)?.id;
  await open();
  return slack.waitForView(
    dana,
    (view) => view.id !== before && JSON.stringify([view.title, view.blocks]).includes(contains),
  );
};

/** The texts of a form, without the values of its choices, which nobody reads. */
const labelsOf = (view: View) => stage.slack.textOf(view);

test('in a shared channel no text of the bot names the parents of a folder or people without a Slack name, until a member shows everything', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ members: [dana, sam], isExtShared: true });
  const line = `/subscribe project 412-873-550 not by hidden@other-firm.example in ${filters}`;
  const uri = await subscribeShared(channel, line);
  const texts: string[] = [];
  const keep = (...shown: unknown[]) => texts.push(...shown.map((each) => JSON.stringify(each)));
  const inOffers = (name: string) => ({
    user: stranger,
    path: `Root/Bidding/Offers/${name}`,
    idPath: `root/bidding/offers/item of ${name}`,
  });

  // Activity: added, moved within, muted; filtered by a folder.
  await notify(uri, 'First.pdf', inOffers('First.pdf'));
  const first = await slack.waitForMessage(channel, 'First.pdf');
  await notify(uri, 'First.pdf', {
    user: stranger,
    eventType: 'Update',
    path: 'Root/Bidding/Plans/First.dwg',
    idPath: 'root/bidding/plans/item of First.pdf',
  });
  await slack.waitForMessage(channel, 'moved');
  await notify(uri, 'Hidden.pdf', { user: stranger, path: 'Root/Bidding/Secret/Hidden.pdf' });
  await notify(uri, 'Second.pdf', inOffers('Second.pdf'));
  const second = await slack.waitForMessage(channel, 'Second.pdf');
  await chooseInMenu(dana, second, 'mute');
  await slack.waitForMessage(channel, 'muted');

  // Lists, why and doctor.
  for (const command of ['/subscriptions', '/unsubscribe', '/plancast why']) {
    keep(await answerTo(() => stage.type(dana, command, channel)));
  }
  const doctor = await answerTo(() => stage.type(dana, '/plancast doctor', channel));
  keep(doctor);
  await press(dana, doctor, 'Details');
  await expect.poll(() => slack.textOf(doctor)).toContain('OK: ');
  keep(doctor);
  keep(await answerTo(() => slack.shortcut({ user: dana, callbackId: 'why', message: first })));

  // A folder nobody has seen, with the nearest one; Undo; and a line that changes nothing.
  await stage.type(dana, '/subscribe project 412-873-550 in "Bidding/Ofers"', channel);
  const misspelled = await slack.waitForMessage(channel, 'changed the subscription');
  await slack.waitForEphemeral(dana, 'a folder `…/Ofers` yet. Did you mean `…/Offers`?');
  await press(dana, misspelled, 'Undo');
  await slack.waitForMessage(channel, ({ id, text }) => id !== misspelled.id && /changed the/.test(text));
  expect(slack.textOf(await answerTo(() => stage.type(dana, line, channel)))).toContain('already follows');

  // What a change says, and a digest with Show all.
  await stage.type(
    dana,
    `/subscribe project 412-873-550 digest hourly in ${filters} "Bidding/More"`,
    channel,
  );
  await slack.waitForMessage(channel, 'hourly digest');
  for (let n = 1; n <= 9; n += 1) {
    await notify(uri, `Sheet ${n}.pdf`, inOffers(`Sheet ${n}.pdf`));
  }
  stage.advance(3_600_000);
  await stage.bot.runChore('sweep');
  const digest = await slack.waitForMessage(channel, 'Sheet 1.pdf');
  keep((await newView(() => press(dana, digest, 'Show all 9'), 'All changes')).blocks);

  // Forms: the one to edit shows whole paths, its preview does not; nor does the one to subscribe.
  const list = await answerTo(() => stage.type(dana, '/subscriptions', channel));
  const edit = await newView(() => chooseInMenu(dana, list, 'edit'), 'Folder patterns');
  expect(JSON.stringify(edit.blocks)).toContain('Bidding/{Offers/A,Plans}/**');
  await slack.click({ user: dana, view: edit, actionId: 'form_preview' });
  const preview = await slack.waitForView(dana, 'would have been posted');
  keep(preview.blocks);
  expect(JSON.stringify(preview.blocks)).toMatch(/added 10 files to Offers/);
  await slack.closeView({ user: dana });
  await slack.closeView({ user: dana });
  const opened = await openForm(dana, () => stage.type(dana, '/subscribe', channel));
  const form = await choose(dana, opened, 'project 412-873-550');
  await openMore(dana, form);
  expect(labelsOf(form)).toContain('Offers');
  texts.push(labelsOf(form));
  await slack.closeView({ user: dana, cleared: true });

  // Export, Home, a pause, the removal, and an Undo that comes too late.
  const exported = await answerTo(() => stage.type(dana, '/plancast export', channel));
  keep(exported);
  expect(slack.textOf(exported)).toContain('can’t be imported like that');
  await slack.openHome(dana);
  const home = await slack.waitForHome(dana, 'You have 1 subscription');
  keep(home.blocks);
  await slack.click({ user: dana, view: home, element: slack.button(home, 'Pause') });
  await slack.waitForMessage(channel, 'paused');
  await stage.type(dana, '/unsubscribe project 412-873-550', channel);
  const removed = await slack.waitForMessage(channel, 'removed the subscription');
  stage.advance(11 * 60_000);
  keep(await answerTo(() => press(dana, removed, 'Undo')));
  keep(await answerTo(() => stage.type(dana, '/plancast why', channel)));

  keep(slack.messages(channel).map(({ text, blocks }) => [text, blocks]));
  texts.push(...slack.ephemerals(dana).map((message) => slack.textOf(message)));
  const all = texts.join('\n');
  for (const shown of [
    '…/Offers',
    '…/Offers/*.pdf',
    '{…/Offers,…/Plans}/*.dwg',
    '…/Secret',
    '…/{Old,Older}/**',
  ])
    expect(all).toContain(shown);
  expect(all).toContain('except by someone');
  expect(texts.filter((text) => /Bidding|Root|other-firm|studio\.example/.test(text))).toEqual([]);
});

test('a shortened path cannot be subscribed or imported: the person is asked for the whole one', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ members: [dana] });
  const lines = ['in "…/Offers/**"', 'in "!…/Secret"', 'in "{…/A,B}/*.pdf"', 'in …/Offers'];
  for (const line of lines) {
    const answer = await answerTo(() => stage.type(dana, `/subscribe project 412-873-550 ${line}`, channel));
    expect(slack.textOf(answer)).toContain('Use the full path');
  }
  expect(slack.messages(channel)).toEqual([]);
});

test('in a shared channel I follow a folder in 1,900 braces: it is announced like any other, and takes no time from everybody else', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ members: [dana], isExtShared: true });
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  const path = `${'{'.repeat(1_900)}Bidding/Offers${'}'.repeat(1_900)}`;
  await subscribeShared(channel, `/subscribe project 412-873-550 in "${path}"`);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(1_500);
  expect(
    slack
      .messages(channel)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('Bidding');
});

test('only a member who may change subscriptions can show everything; an admin who is asked to allow a line reads its paths shortened', async () => {
  const { slack, dana, sam, teamId } = stage;
  const ada = slack.addUser({ teamId, name: 'Ada Admin', isAdmin: true });
  const channel = slack.addChannel({ members: [dana, sam, ada], isExtShared: true });
  const uri = await subscribeShared(channel, '/subscribe project 412-873-550');
  await stage.link(sam, 'sam@example.com');
  await stage.database
    .connect()
    .pool.query(
      `insert into plancast.settings (team_id, value) values ($1, '{"subscribers":{"kind":"admins"}}')`,
      [teamId],
    );
  await stage.type(sam, '/subscribe session 731-450-286 in "Bidding/Offers/**"', channel);
  const refusal = await slack.waitForEphemeral(sam, 'Only admins');
  await press(sam, refusal, 'Ask an admin');
  const request = await slack.waitForDirectMessage(ada, 'wants to do this');
  expect(slack.textOf(request)).toContain('in "…/Offers/**"');
  await press(ada, request, 'Decline');
  const outcome = await slack.waitForDirectMessage(sam, 'declined this');
  expect(slack.textOf(outcome)).toContain('Bidding/Offers/**');
  expect(JSON.stringify([request.blocks, request.text])).not.toContain('Bidding');

  const shared = await slack.waitForMessage(channel, 'shared with another organization');
  await press(sam, shared, 'Show everything');
  await expect
    .poll(() => slack.ephemerals(sam).filter(({ text }) => text.includes('Only admins')))
    .toHaveLength(1);
  const inBids = (name: string) => ({ user: stranger, path: `Root/Bidding/Offers/${name}` });
  await notify(uri, 'Short.pdf', inBids('Short.pdf'));
  const short = await slack.waitForMessage(channel, 'Short.pdf');
  expect(JSON.stringify(short.blocks)).not.toMatch(/Bidding|contractor|studio\.example/);
  await press(ada, shared, 'Show everything');
  await slack.waitForMessage(channel, 'allowed full names and folder paths');
  await notify(uri, 'Whole.pdf', inBids('Whole.pdf'));
  const whole = await slack.waitForMessage(channel, 'Whole.pdf');
  expect(slack.textOf(whole)).toMatch(/contractor.*Root › Bidding › Offers/);
  expect(JSON.stringify(whole.blocks)).toContain('studio.example');
});
