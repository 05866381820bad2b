import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const tower = '412-873-550';
const school = '538-204-917';
const towerLink = 'https://plans.example/projects/412873550?tab=files#top';
const schoolLink = 'https://plans.example/projects/538-204-917';
const itemLink = `https://plans.example/projects/${tower}/items/plan-7`;

let stage: Stage;
/** Follows the tower; the bot knows its name. */
let plans: Channel;
/** The bot is in it, and it follows nothing. */
let open: Channel;
let kept: Channel;
/** The bot is not in it. */
let outside: Channel;
let shared: Channel;
let direct: Channel;
let group: Channel;
let groupWithBot: Channel;
let uri: string;
const logged: string[] = [];
const slept: number[] = [];

beforeAll(async () => {
  stage = await setStage({
    name: 'link previews',
    skipsPauses: true,
    onLog: (line) => logged.push(line),
    unfurlDomains: ['plans.example'],
    sleep: async (milliseconds) => void slept.push(milliseconds),
    env: {
      SERVICE_PROJECT_URL: 'https://plans.example/projects/{project}',
      SERVICE_ITEM_URL: 'https://plans.example/projects/{project}/items/{item}',
    },
  });
  const { slack, dana, sam } = stage;
  await stage.link(dana, 'dana@example.com');
  const members = [dana, sam];
  plans = slack.addChannel({ members });
  open = slack.addChannel({ members });
  kept = slack.addChannel({ members, kind: 'private' });
  outside = slack.addChannel({ members, kind: 'private', botIn: false });
  shared = slack.addChannel({ members, isExtShared: true });
  direct = slack.addChannel({ members, kind: 'im', botIn: false });
  group = slack.addChannel({ members, kind: 'mpim', botIn: false });
  groupWithBot = slack.addChannel({ members, kind: 'mpim' });
  await following(dana, plans, `/subscribe project ${tower} as "Harbour Tower"`);
  uri = stage.service.subscriptions.all()[0]?.uri ?? '';
  await following(dana, kept, `/subscribe project ${school} as "Riverside School"`);
});
afterAll(() => stage.close());

const { following, press } = makeStageActions(() => stage);
const previewed = () => stage.slack.callsOf('chat.unfurl').length;

/** Posts a message of Dana's, and returns what is shown below it. */
async function previewsOf(
  text: string,
  channel: Channel,
  expected = 1,
): Promise<{ message: Message; texts: string[] }> {
  const { slack, dana } = stage;
  const before = previewed();
  const { message } = await slack.write({ user: dana, channel, text });
  await expect.poll(previewed).toBe(before + 1);
  await expect.poll(() => message.attachments.length).toBe(expected);
  return { message, texts: message.attachments.map((each) => slack.textOf({ blocks: [each].flat() })) };
}

const buttonsOf = (message: Message) =>
  JSON.stringify(message.attachments)
    .match(/"text":"(?:Subscribe this channel|Edit)"/g)
    ?.map((each) => JSON.parse(`{${each}}`).text) ?? [];

type Row = readonly [title: string, where: () => Channel, link: string, shown: string, button: string | null];
const matrix: readonly Row[] = [
  ['a public channel that follows it', () => plans, towerLink, 'Harbour Tower* · project', 'Edit'],
  [
    'a public channel that does not',
    () => open,
    towerLink,
    'Harbour Tower* · project',
    'Subscribe this channel',
  ],
  ['a private channel that follows it', () => kept, schoolLink, 'Riverside School* · project', 'Edit'],
  [
    'a public channel, of what a private one follows',
    () => open,
    schoolLink,
    'A project at Practice',
    'Subscribe this channel',
  ],
  ['a channel without the bot', () => outside, towerLink, 'A project at Practice', 'Subscribe this channel'],
  ['a shared channel', () => shared, towerLink, 'A project at Practice', 'Subscribe this channel'],
  ['a direct message between people', () => direct, towerLink, 'A project at Practice', null],
  ['a group direct message', () => groupWithBot, towerLink, 'A project at Practice', null],
  [
    'a group direct message without the bot, which looks like a private channel',
    () => group,
    towerLink,
    'A project at Practice',
    'Subscribe this channel',
  ],
  [
    'a channel, of an item',
    () => open,
    itemLink,
    'A file or folder in *Harbour Tower* at Practice',
    'Subscribe this channel',
  ],
  [
    'a channel without the bot, of an item',
    () => outside,
    itemLink,
    'A file or folder at Practice',
    'Subscribe this channel',
  ],
];
test.for(matrix)('in %s', async ([, where, link, shown, button]) => {
  const { message, texts } = await previewsOf(`See ${link} please`, where());
  expect(texts).toHaveLength(1);
  expect(texts[0]).toContain(shown);
  expect(texts[0]?.includes('Harbour')).toBe(shown.includes('Harbour'));
  expect(buttonsOf(message)).toEqual(button === null ? [] : [button]);
});

test('who is linked makes no difference to a preview: it is for everybody in the channel', async () => {
  const { slack, sam } = stage;
  const { message } = await slack.write({ user: sam, channel: open, text: towerLink });
  await expect.poll(() => JSON.stringify(message.attachments)).toContain('Harbour Tower');
});

test('the preview says since when the channel follows it, and what changed last', async () => {
  const { slack } = stage;
  await notify(uri, { item: 'plan-7', name: 'A-107 Section.pdf' });
  await slack.waitForMessage(plans, 'A-107 Section.pdf');
  const { texts } = await previewsOf(towerLink, plans);
  expect(texts[0]).toMatch(
    /This channel follows it since .*Last change: \*Sam Okafor\* added <\S+\|A-107 Section.pdf> /s,
  );
  const { texts: ofItem } = await previewsOf(itemLink, plans);
  expect(ofItem[0]).toContain('*A-107 Section.pdf* · file or folder in *Harbour Tower*');
});

test('a folder that the channel no longer follows has no name in a preview, even if it follows something else of its project', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ members: [dana], kind: 'private' });
  await following(dana, channel, `/subscribe folder ${school} f-bids`);
  const folder = service.subscriptions.all().at(-1)?.uri ?? '';
  const bid = { item: 'bid-1', name: 'Bid.pdf', projectId: school, path: 'Root/Bids/Bid.pdf' };
  await notify(folder, { ...bid, idPath: 'root/f-bids/bid-1' });
  await slack.waitForMessage(channel, 'Bid.pdf');
  const linkTo = (item: string) => `https://plans.example/projects/${school}/items/${item}`;
  const shown = async (item: string) => (await previewsOf(linkTo(item), channel)).texts[0];
  expect(await shown('f-bids')).toContain('*Bids*');
  expect(await shown('bid-1')).toContain('*Bid.pdf*');

  await stage.type(dana, `/subscribe file ${school} roof`, channel);
  await slack.waitForMessage(channel, 'roof');
  await stage.type(dana, `/unsubscribe folder ${school} f-bids`, channel);
  await slack.waitForMessage(channel, 'removed');
  expect(await shown('f-bids')).not.toContain('Bids');
  expect(await shown('bid-1')).not.toContain('Bid.pdf');
});

test('a subfolder of a followed folder has its name in a preview, although only what is in it has changed', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ members: [dana], kind: 'private' });
  await following(dana, channel, `/subscribe folder ${school} f-bids`);
  await notify(service.subscriptions.all().at(-1)?.uri ?? '', {
    item: 'bid-2',
    name: 'Late.pdf',
    projectId: school,
    path: 'Root/Bids/Round 2/Late.pdf',
    idPath: 'root/f-bids/f-round-2/bid-2',
  });
  await slack.waitForMessage(channel, 'Late.pdf');
  const { texts } = await previewsOf(`https://plans.example/projects/${school}/items/f-round-2`, channel);
  expect(texts[0]).toContain('*Round 2* · file or folder');
});

test('nothing is answered while the link is being written, nor to links that fit no address', async () => {
  const { slack, dana } = stage;
  const before = previewed();
  const { events } = await slack.write({
    user: dana,
    channel: open,
    text: 'https://plans.example/help/412873550',
  });
  expect(events.map(({ payload }) => (payload.event as { source: string }).source)).toEqual([
    'composer',
    'conversations_history',
  ]);
  await previewsOf(towerLink, open);
  expect(previewed()).toBe(before + 1);
});

test('five links in one message are one call, and one preview each', async () => {
  const links = [1, 2, 3, 4, 5].map((n) => `https://plans.example/projects/${tower}/items/plan-${n}`);
  const { texts } = await previewsOf(links.join(' '), open, 5);
  expect(texts).toHaveLength(5);
});

test('an edited message keeps the previews of the links that are still in it', async () => {
  const { slack } = stage;
  const { message } = await previewsOf(`${towerLink} ${schoolLink}`, open, 2);
  const before = previewed();
  await slack.rewrite(message, `Only ${schoolLink} and ${itemLink}`);
  await expect.poll(previewed).toBe(before + 1);
  await expect
    .poll(() => message.attachments.map(({ from_url: url }) => url))
    .toEqual([schoolLink, itemLink]);
});

test('a preview that Slack refuses for 30 seconds is sent once more after them, and for good only then', async () => {
  const { slack, dana } = stage;
  slept.length = 0;
  const once = slack.fault({ method: 'chat.unfurl', status: 429, retryAfter: 30, times: 1 });
  const { texts } = await previewsOf(towerLink, open);
  expect(texts[0]).toContain('Harbour Tower');
  expect([once.hits(), slept]).toEqual([1, [30_000]]);
  for (const [retryAfter, tries] of [
    [30, 2],
    [121, 1],
  ] as const) {
    const always = slack.fault({ method: 'chat.unfurl', status: 429, retryAfter, times: 2 });
    const { message } = await slack.write({ user: dana, channel: open, text: towerLink });
    await expect.poll(() => logged.some((line) => line.includes('links could not be previewed'))).toBe(true);
    expect([always.hits(), message.attachments]).toEqual([tries, []]);
    always.clear();
    logged.length = 0;
  }
});

test('in a group direct message, a press asks for the channel, and a command says why it can’t run there', async () => {
  const { slack, dana } = stage;
  const { message } = await previewsOf(towerLink, group);
  await slack.click({ user: dana, message, actionId: 'Subscribe this channel' });
  const form = await slack.waitForView(dana, ({ blocks }) =>
    JSON.stringify(blocks).includes('Choose a channel'),
  );
  expect(slack.textOf(form)).toContain(tower);
  await slack.closeView({ user: dana, viewId: form.id });
  for (const channel of [group, groupWithBot]) {
    const before = slack.ephemerals(dana, channel).length;
    await stage.type(dana, `/subscribe project ${tower}`, channel);
    await expect.poll(() => slack.ephemerals(dana, channel).length).toBe(before + 1);
    expect(slack.ephemerals(dana, channel).at(-1)?.text).toMatch(
      /^I can’t post in direct messages between other people/,
    );
  }
});

test.for([{ error: 'cannot_unfurl_message' }, { error: 'cannot_find_channel' }, { reset: true }])(
  'Slack refuses a preview (%o): it is not shown, and the next one is',
  async (fault) => {
    const { slack, dana } = stage;
    const handle = slack.fault({ method: 'chat.unfurl', ...fault });
    const { message, events } = await slack.write({ user: dana, channel: open, text: towerLink });
    expect(events.map(({ status }) => status)).toEqual([200, 200]);
    await expect.poll(() => handle.hits()).toBe(1);
    await expect.poll(() => logged.some((line) => line.includes('links could not be previewed'))).toBe(true);
    expect(message.attachments).toEqual([]);
    logged.length = 0;
    await previewsOf(towerLink, open);
  },
);

test('Dana presses Subscribe this channel and gets the form with the link; Sam is told since when', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ members: [dana, sam] });
  const { message } = await previewsOf(towerLink, channel);
  const button = { actionId: 'Subscribe this channel' };
  await slack.click({ user: dana, message, ...button });
  const view = await slack.waitForView(dana, ({ privateMetadata }) => privateMetadata.includes(channel.id));
  await slack.submitView({ user: dana, viewId: view.id });
  await slack.waitForMessage(channel, 'Dana Reyes added');
  await slack.click({ user: sam, message, ...button });
  const answer = await slack.waitForEphemeral(sam, 'This channel follows it since');
  await press(sam, answer, 'Edit');
  await slack.waitForView(sam, 'Edit');
});

test('the bot is not in the channel: the press is kept until it is invited', async () => {
  const { slack, dana } = stage;
  const { message } = await previewsOf(towerLink, outside);
  await slack.click({ user: dana, message, actionId: 'Subscribe this channel' });
  await slack.waitForEphemeral(dana, `I’ll finish \`/subscribe project ${tower}\``);
  await slack.inviteBot(outside, dana);
  await slack.waitForMessage(outside, 'Dana Reyes added');
  await slack.removeBot(outside, dana);
});

test('a link to an item does not say whether it is a file or a folder: the press asks, unless that is known', async () => {
  const { slack, sam, dana } = stage;
  const { message } = await previewsOf(`https://plans.example/projects/${tower}/items/plan-99`, open);
  await slack.click({ user: sam, message, actionId: 'Subscribe this channel' });
  const question = await slack.waitForEphemeral(sam, 'Is that a file or a folder?');
  await press(sam, question, 'It’s a folder');
  const view = await slack.waitForView(sam, ({ privateMetadata }) => privateMetadata.includes(open.id));
  expect(JSON.stringify(view.blocks)).toContain('plan-99');
  await slack.closeView({ user: sam, viewId: view.id });

  const known = await previewsOf(itemLink, open);
  await slack.click({ user: dana, message: known.message, actionId: 'Subscribe this channel' });
  await slack.waitForView(dana, ({ blocks }) => JSON.stringify(blocks).includes('plan-7'));
});

test('a typed link to an item is the item, and the answer asks whether it is a file or a folder if no word says so', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ members: [dana] });
  const item = { action: 'create-file', project: tower, name: 'Linked.pdf' } as const;
  stage.service.act('dana@example.com', item);
  const { data } = stage.service;
  const id = data.item(data.project(tower), 'Linked.pdf').id;
  const url = `https://plans.example/projects/${tower}/items/${id}?tab=2`;
  await stage.type(dana, `/subscribe ${url} only added`, channel);
  const answer = await slack.waitForEphemeral(dana, 'Which one do you want?');
  expect(answer.text).toContain(`/subscribe folder ${tower} ${id} only added`);
  await press(dana, answer, `file ${tower} ${id}`);
  await slack.waitForMessage(channel, 'Posting added');
  await stage.type(dana, `/unsubscribe file ${url}`, channel);
  await slack.waitForMessage(channel, 'removed the subscription');
});

test('an installation without the scopes gets no links, and no previews are tried', async () => {
  const { slack, dana, workspace, bot } = stage;
  const { botScopes } = workspace;
  workspace.botScopes = botScopes.filter((scope) => !scope.startsWith('links:'));
  expect((await slack.write({ user: dana, channel: open, text: towerLink })).events).toEqual([]);
  const other = await stage.addBot();
  const before = previewed();
  const inner = {
    type: 'link_shared',
    channel: open.id,
    message_ts: '1.000001',
    source: 'conversations_history',
  };
  const event = {
    ...inner,
    is_bot_user_member: true,
    user: dana.id,
    links: [{ domain: 'plans.example', url: towerLink }],
  };
  expect((await slack.event(event)).status).toBe(200);
  expect(previewed()).toBe(before);
  workspace.botScopes = botScopes;
  await other.stop();
  slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
});

test('no link that people posted is in the log or the database', async () => {
  const { database } = stage;
  await previewsOf('https://plans.example/projects/999-888-777', open);
  const { pool } = database.connect();
  const { rows } = await pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'plancast'",
  );
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const stored = await pool.query(`select 1 from plancast.${name} t where t::text like '%999-888-777%'`);
      return stored.rowCount === 0 ? [] : [name];
    }),
  );
  expect(found.flat()).toEqual([]);
  expect(logged.filter((line) => /999-888-777|plans\.example/.test(line))).toEqual([]);
});

test('a recap reads a link for what it leads to, never for names in it', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ members: [dana, sam] });
  await following(dana, channel, `/subscribe project ${tower}`);
  await notify(stage.service.subscriptions.all().at(-1)?.uri ?? '', { item: 'P50', name: 'Plans.pdf' });
  await slack.waitForMessage(channel, 'Plans.pdf');
  const recapOf = async (link: string) => {
    const before = slack.ephemerals(sam).length;
    await stage.type(sam, `/plancast recap ${link}`, channel);
    await expect.poll(() => slack.ephemerals(sam).length).toBe(before + 1);
    return slack.textOf(slack.ephemerals(sam).at(-1) as Message);
  };

  const item = await recapOf('https://plans.example/projects/412873550/items/P50?tab=2');
  expect(item).toMatch(/^“Plans\.pdf” · Since .*: 1 change/);
  const project = await recapOf('https://studio.example/projects/412-873-550/files');
  expect(project).toMatch(/^“Harbour Tower” · Since .*: 1 change/);
  for (const link of [
    `https://plans.example/projects/${tower}/items/P51`,
    `https://studio.example/projects/${tower}/files/P51`,
    'https://plans.example/projects/999-999-999/items/P50',
    'https://plans.example/plans.pdf',
  ]) {
    const answer = expect.stringMatching(/^What this link leads to hasn’t changed here in the last 7 days/);
    expect([link, await recapOf(link)]).toEqual([link, answer]);
  }
});
