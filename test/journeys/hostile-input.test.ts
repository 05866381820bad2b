import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deliver, lookFromOutside, notificationFor, type Outside } from '../contract/outside.ts';
import { bareAmpersandsIn, markupIn, unseenIn } from '../messages/as-slack-reads.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
let outside: Outside;
let log = '';
beforeAll(async () => {
  // Nothing listens on this port: it only makes the bot count.
  const env = { METRICS_PORT: '9464' };
  stage = await setStage({ name: 'hostile input', skipsPauses: true, env, onLog: (line) => (log += line) });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

const project = '/subscribe project 412-873-550';

test('S78: a glob that once stalled every process is in the database: its channel and all others keep posting', async () => {
  const [hostile, other] = [await outside.following(project), await outside.following(project)];
  const globs = ['*a*a*a*a*a*a*a*a*b', '(a+)+b', '{a,b}'.repeat(200), `${'**/'.repeat(300)}b`];
  await outside.query(
    `update plancast.subscriptions set filters = jsonb_set(filters, '{paths}', $2::jsonb) where channel_id = $1`,
    [hostile.channel.id, JSON.stringify(globs)],
  );

  await deliver(hostile.up.uri, notificationFor(hostile.up, { path: `Root/${'a'.repeat(100)}` }));
  await deliver(other.up.uri, notificationFor(other.up, { path: 'Root/Plans/Stairs.pdf' }));

  const [row] = await outside.rows(hostile.channel, ({ state }) => state !== 'pending');
  expect([row?.state, row?.reason]).toEqual(['filtered', 'path']);
  await stage.slack.waitForMessage(other.channel, 'Stairs.pdf');
});

test('S95: eleven patterns of 1,000 characters are in the database, and 1,500 changes come: all are posted, and other channels post meanwhile', async () => {
  const hostile = [await outside.following(project), await outside.following(project)];
  const other = await outside.following(project);
  const globs = Array.from({ length: 11 }, (_, index) => `${'{a,b}'.repeat(10)}${'[c]'.repeat(316)}${index}`);
  globs.push('*.pdf');
  await outside.query(
    `update plancast.subscriptions set filters = jsonb_set(filters, '{paths}', $2::jsonb) where channel_id = any($1)`,
    [hostile.map(({ channel }) => channel.id), JSON.stringify(globs)],
  );
  const count = 750;
  for (const { up } of hostile) {
    const path = `Root/${'deeper/'.repeat(20)}Sheet.pdf`;
    for (let sent = 0; sent < count; sent += 250) {
      const changes = Array.from({ length: 250 }, () => notificationFor(up, { path }));
      expect((await deliver(up.uri, changes)).status).toBe(200);
    }
  }
  await deliver(other.up.uri, notificationFor(other.up, { path: 'Root/Plans/Stairs.pdf' }));
  await stage.slack.waitForMessage(other.channel, 'Stairs.pdf');
  for (const { channel } of hostile) {
    await outside.rows(channel, ({ state }) => state === 'posted', count);
  }
});

test('S78: a glob with more than 10 wildcards is refused with the reason, and nothing is subscribed', async () => {
  const user = await outside.member({ account: 'dana@example.com' });
  const before = stage.service.subscriptions.all().length;
  const answer = await outside.ask(user, `${project} in "${'*a'.repeat(11)}"`);
  expect(stage.slack.textOf(answer)).toContain('at most 10 wildcards');
  expect(stage.service.subscriptions.all()).toHaveLength(before);

  const channel = outside.channel();
  await outside.following(`${project} in "${'*a'.repeat(9)}{b,c}"`, { channel, owner: user });
});

test('a file named <!channel>, or with text that runs backward, is posted as its name and mentions nobody', async () => {
  const { channel, up } = await outside.following(project);
  const names = [
    '<!channel>.pdf',
    '<@U0000001>.pdf',
    '<https://evil.example|Plans>.pdf',
    '&lt;!here&gt;.pdf',
    'Invoice \u202Efdp.exe',
  ];
  for (const name of names) await deliver(up.uri, notificationFor(up, { name, path: `Root/${name}` }));
  await outside.rows(channel, ({ state }) => state === 'posted', names.length);
  const posted = stage.slack
    .messages(channel)
    .slice(1)
    .map((message) => JSON.stringify(message.blocks) + message.text);
  const all = posted.join('\n');

  expect(all).toContain('&lt;!channel&gt;.pdf');
  expect(markupIn(all).filter((each) => !each.startsWith('<!date^'))).toEqual([]);
  expect(bareAmpersandsIn(all)).toEqual([]);
  expect(unseenIn(all)).toEqual([]);
});

test.each([
  [
    'a notification that is no longer valid',
    `update plancast.events set notification = '{"path": 7}'::jsonb`,
  ],
  ['a missing notification', 'update plancast.events set notification = null'],
  [
    'invalid filters',
    `update plancast.subscriptions set filters = jsonb_set(filters, '{paths}', '[7]'::jsonb)`,
  ],
])('an event that cannot be read (%s) is a dead letter, and later ones are posted', async (_, spoil) => {
  const { channel, up } = await outside.following(`${project} in "**"`);
  await hold(channel.id);
  const bad = notificationFor(up, { path: 'Root/Plans/Spoiled.pdf' });
  await deliver(up.uri, bad);
  await outside.query(`${spoil} where channel_id = $1`, [channel.id]);
  await releaseHeld(channel.id);

  const [row] = await outside.rows(channel, ({ state }) => state === 'dead');
  expect([row?.notification_id, row?.reason]).toEqual([bad.Id, 'unreadable']);
  await outside.query(
    `update plancast.subscriptions set filters = jsonb_set(filters, '{paths}', '[]'::jsonb) where channel_id = $1`,
    [channel.id],
  );
  await deliver(up.uri, notificationFor(up, { path: 'Root/Plans/Behind.pdf' }));
  await stage.slack.waitForMessage(channel, 'Behind.pdf');
});

test('an event that cannot be rendered is a dead letter, and those beside it are posted', async () => {
  const { channel, up } = await outside.following(project);
  await hold(channel.id);
  const bad = notificationFor(up, { path: 'Root/Plans/Spoiled.pdf' });
  await deliver(up.uri, [bad, notificationFor(up, { path: 'Root/Plans/Beside.pdf' })]);
  await outside.query(
    `update plancast.events set notification = jsonb_set(notification, '{name}', '{"no": "text"}'::jsonb)
     where channel_id = $1 and notification_id = $2`,
    [channel.id, bad.Id],
  );
  await releaseHeld(channel.id);

  await stage.slack.waitForMessage(channel, 'Beside.pdf');
  const [row] = await outside.rows(channel, ({ state }) => state === 'dead');
  expect([row?.notification_id, row?.reason]).toEqual([bad.Id, 'unrenderable']);
});

test('the outcome of one event cannot be stored: those of its turn are dead letters at once, and nothing is posted twice', async () => {
  const [mine, other] = [await outside.following(project), await outside.following(project)];
  await hold(mine.channel.id);
  const counted = async () =>
    Number(/^plancast_events_total\{state="dead"\} (\d+)/m.exec(await stage.bot.metrics().text())?.[1] ?? 0);
  const before = await counted();
  const names = ['Attic.pdf', 'Barn.pdf', 'Cellar.pdf', 'Spoiled.pdf', 'Dome.pdf'];
  const sent = names.map((name) => notificationFor(mine.up, { path: `Root/Plans/${name}` }));
  const bad = sent[3];
  await deliver(mine.up.uri, sent);
  await outside.query(
    `create function plancast.refuse_row() returns trigger language plpgsql as $$
     begin raise exception 'no' using errcode = '23514'; end $$`,
  );
  await outside.query(
    `create trigger refuse_row before update on plancast.events for each row
     when (new.state = 'posted' and new.notification_id = '${bad?.Id}') execute function plancast.refuse_row()`,
  );
  await releaseHeld(mine.channel.id);
  await deliver(other.up.uri, notificationFor(other.up, { path: 'Root/Plans/Elsewhere.pdf' }));

  const waiting = async () =>
    (await outside.rows(mine.channel, ({ state }) => state !== 'pending')).length === names.length;
  await expect.poll(waiting, { timeout: 10_000 }).toBe(true);
  await outside.query('drop trigger refuse_row on plancast.events');
  const rows = await outside.rows(mine.channel, () => true);
  expect(rows.map(({ notification_id, state, reason }) => [notification_id, state, reason])).toEqual(
    sent.map(({ Id }) => [Id, 'dead', 'unrecorded']),
  );
  await expect.poll(counted).toBe(before + names.length);
  await expect
    .poll(async () => (await outside.rows(other.channel, ({ state }) => state === 'posted')).length)
    .toBe(1);
  await deliver(mine.up.uri, notificationFor(mine.up, { path: 'Root/Plans/Eaves.pdf' }));
  await stage.slack.waitForMessage(mine.channel, 'Eaves.pdf');
  expect(
    stage.slack
      .messages(mine.channel)
      .filter(({ text, blocks }) => (text + JSON.stringify(blocks)).includes('Attic.pdf')),
  ).toHaveLength(1);
});

test('NUL characters and halves of characters in an id, name, path and email are replaced: what is sent is posted, and nothing is set aside', async () => {
  const { channel, up } = await outside.following(project);
  const odd = {
    id: `Odd\u0000\udc00-${randomUUID()}`,
    path: 'Root/Pl\u0000ans/\ud800Stairs\u0000.pdf',
    name: '\ud800Stairs\u0000.pdf',
    user: 'lee\u0000\udfff@example.com',
  };
  const sent = [notificationFor(up, odd), notificationFor(up, { path: 'Root/Plans/Beside.pdf' })];
  expect((await deliver(up.uri, sent)).status).toBe(200);

  const rows = await outside.rows(channel, ({ state }) => state === 'posted', 2);
  expect(rows.map(({ notification_id: id }) => id)).toContain(`odd\ufffd\ufffd${odd.id.slice(5)}`);
  const { text } = await stage.slack.waitForMessage(channel, 'Stairs');
  expect([text.isWellFormed(), text.includes('\0')]).toEqual([true, false]);
  expect((await outside.events(channel)).filter(({ state }) => state === 'dead')).toEqual([]);
});

test('NUL characters that I type are replaced, and the line runs', async () => {
  const owner = await outside.member({ account: 'dana@example.com' });
  const { text } = await outside.announced(owner, `${project} as "Tower\u0000One"`, {
    channel: outside.channel({ members: [owner] }),
  });
  expect(text).toContain('Tower\ufffdOne');
});

test('a file without an id and with a name too long for an index is posted and remembered, and later events are posted', async () => {
  const { channel, up } = await outside.following(project);
  const letters = Array.from({ length: 6_000 }, () => randomUUID().slice(0, 2)).join('');
  const more = { ResourceType: 'ProjectItems', EventType: 'Create', User: 'lee@example.com' };
  const resource = '/Primes/4021/Projects/412873550/';
  await deliver(
    up.uri,
    notificationFor(up, { resource, more: { ExtraInformation: { ...more, Name: letters } } }),
  );
  const [row] = await outside.rows(channel, ({ state }) => state !== 'pending');
  expect(row?.state).toBe('posted');
  const [item] = await outside.query(
    `select left(name, 10) as name from plancast.items where channel_id = $1 and item_key like 'ProjectItems:%'`,
    [channel.id],
  );
  expect(item?.name).toBe(letters.slice(0, 10));
  await deliver(up.uri, notificationFor(up, { path: 'Root/Plans/Behind.pdf' }));
  await stage.slack.waitForMessage(channel, 'Behind.pdf');
});

test("S86: my profile has an unknown time zone: my daily digest uses UTC, and everybody else's still comes", async () => {
  const martian = await outside.member({ account: 'sam@example.com', tz: 'Mars/Olympus_Mons' });
  const mine = await outside.following(`${project} digest daily 09:00`, { owner: martian });
  const theirs = await outside.following(`${project} digest hourly`);
  const rows = await outside.query(
    'select delivery from plancast.subscriptions where channel_id = any($1) order by created_at',
    [[mine.channel.id, theirs.channel.id]],
  );
  expect(rows[0]).toMatchObject({ delivery: { zone: 'Etc/UTC' } });
  // As older releases stored it.
  await outside.query(
    `update plancast.subscriptions set delivery = jsonb_set(delivery, '{zone}', '"Mars/Olympus_Mons"') where channel_id = $1`,
    [mine.channel.id],
  );
  await notify(mine.up.uri, { item: 'm', name: 'Mars.pdf' });
  await notify(theirs.up.uri, { item: 'e', name: 'Earth.pdf' });
  stage.advance(25 * 3_600_000);
  await stage.bot.runChore('sweep');
  await stage.slack.waitForMessage(theirs.channel, 'Earth.pdf');
  await stage.slack.waitForMessage(mine.channel, 'Mars.pdf');
});

test('S86: a row that a chore cannot process is logged, and the remaining digests still come', async () => {
  const [bad, good] = [
    await outside.following(`${project} digest daily 09:00`),
    await outside.following(`${project} digest hourly`),
  ];
  await outside.query(
    `update plancast.subscriptions set delivery = '{"when": "daily"}' where channel_id = $1`,
    [bad.channel.id],
  );
  await notify(bad.up.uri, { item: 'b', name: 'Bad.pdf' });
  await notify(good.up.uri, { item: 'g', name: 'Good.pdf' });
  stage.advance(2 * 3_600_000);
  await stage.bot.runChore('sweep');
  await stage.slack.waitForMessage(good.channel, 'Good.pdf');
  expect(log).toContain('could not release a digest');
});

test("S86: when one step of the minute's chore fails, the following steps still run", async () => {
  const { channel, up } = await outside.following(`${project} digest hourly`);
  await notify(up.uri, { item: 's', name: 'Step.pdf' });
  stage.advance(2 * 3_600_000);
  // The first step looks for mutes that have ended.
  await outside.query('alter table plancast.lanes rename column muted_until to muted_gone');
  try {
    await stage.bot.runChore('sweep');
  } finally {
    await outside.query('alter table plancast.lanes rename column muted_gone to muted_until');
  }
  expect(log).toContain('a step of a chore failed');
  expect((await outside.events(channel)).map(({ reason }) => reason)).toEqual([null]);
  await outside.wakeLanes();
  await stage.slack.waitForMessage(channel, 'Step.pdf');
});

test.each(['/link/%', '/link/%E0%A4%A', '/link/%c0%80'])(
  'S89: GET %s: 404 and a page, not 503',
  async (path) => {
    const answer = await fetch(`${stage.bot.publicUrl}${path}`);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).not.toContain('Reference');
  },
);

test('S89: a callback URL that cannot be decoded is answered 404', async () => {
  expect((await fetch(`${stage.bot.publicUrl}/notifications/%`)).status).toBe(404);
});

test('S90: a body of 1,000 notifications is accepted; one of 1,001 is answered 413 and nothing of it is stored', async () => {
  const { channel, up } = await outside.following(`${project} digest hourly`);
  const bodyOf = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, () => ({
        Id: randomUUID(),
        SubscriptionId: up.id,
        Resource: '/Primes/1/Projects/412873550/',
      })),
    );
  const refused = await deliver(up.uri, bodyOf(1_001));
  expect([refused.status, await refused.text()]).toEqual([413, '{}']);
  expect(await outside.events(channel)).toEqual([]);
  expect((await deliver(up.uri, bodyOf(1_000))).status).toBe(200);
  expect(await outside.events(channel)).toHaveLength(1_000);
});

test('S90: 15,000 small entries in one body are refused before they are parsed', async () => {
  const { up } = await outside.following(`${project} digest hourly`);
  const answer = await deliver(up.uri, `[${Array(15_000).fill('{"Resource":"a"}').join()}]`);
  expect(answer.status).toBe(413);
});

test.each([
  ['5 MB', 5, 'close'],
  ['3 MB', 3, 'keep-alive'],
])(
  'S106: I send a body of %s, and the next notification on the connection is not lost',
  async (_size, megabytes, connection) => {
    const { channel, up } = await outside.following(`${project} digest hourly`);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const refused = await send(up.uri, agent, Buffer.alloc(megabytes * 1024 * 1024, 0x20));
    expect([refused.statusCode, refused.headers.connection]).toEqual([413, connection]);
    const next = await send(up.uri, agent, JSON.stringify(notificationFor(up)));
    expect(next.statusCode).toBe(200);
    expect(await outside.events(channel)).toHaveLength(1);
  },
);

/** Sends a whole body over the agent's connections, and returns the answer once it is read. */
function send(uri: string, agent: Agent, body: Buffer | string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) };
    const outgoing = request(uri, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer));
    });
    outgoing.on('error', reject).end(body);
  });
}

test('S101: I name 100 files with 4,000 accents each: they take no time from everybody else', async () => {
  const { channel, up } = await outside.following(`${project} in "Plans/**" "*.dwg" "!Old"`);
  const accents = '\u0301\u0316'.repeat(2_000);
  const sent = Array.from({ length: 100 }, (_, index) =>
    notificationFor(up, { name: `x${accents}.pdf`, path: `Root/Site/${index}/x${accents}.pdf` }),
  );
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  for (let at = 0; at < sent.length; at += 10) await deliver(up.uri, sent.slice(at, at + 10));
  await outside.rows(channel, ({ state, reason }) => state === 'filtered' && reason === 'path', 100);
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(600);
});

test('I report 25 files that are 2,000 folders deep, and 1,000 folders: a member who types an unknown folder is answered at once', async () => {
  const owner = await outside.member({ account: 'dana@example.com' });
  const { channel, up } = await outside.following(project, { owner });
  // Letters of their own for each folder, since a field is cut after 4,000 characters.
  const idsOf = (file: number) =>
    Array.from({ length: 2_000 }, (_, at) => String.fromCharCode(0x100 + file * 2_000 + at)).join('/');
  const folder = { Path: 'a/'.repeat(2_000), ItemType: 'Folder', Name: 'a', EventType: 'Create' };
  const deep = Array.from({ length: 25 }, (_, file) => ({ ...folder, IdPath: idsOf(file) }));
  const long = Array.from({ length: 100 }, (_, file) => ({
    ...folder,
    Path: `${'Long name '.repeat(12)}/`.repeat(30),
    IdPath: Array.from({ length: 30 }, (_, at) => `${file}_${at}`).join('/'),
  }));
  const sent = [...long, ...deep].map((extra) => {
    const more = { ...extra, ResourceType: 'ProjectItems', User: 'lee@example.com' };
    return notificationFor(up, { more: { ExtraInformation: more } });
  });
  for (let at = 0; at < sent.length; at += 15) {
    expect((await deliver(up.uri, sent.slice(at, at + 15))).status).toBe(200);
  }
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  const typed = `${project} in "${'Lnog name '.repeat(9).trim()}"`;
  const wanted = /I haven’t seen a folder/;
  await outside.ask(owner, typed, { channel, wanted });
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(1_500);
});

test('S103: 60 people change 60 files in one digest: Slack is asked about 20 of them, and the rest are addresses', async () => {
  const { slack, teamId } = stage;
  const { channel, up } = await outside.following(project);
  const people = Array.from({ length: 60 }, (_, index) => `crowd${index}@example.com`);
  for (const [index, email] of people.entries()) slack.addUser({ teamId, name: `Crowd ${index}.`, email });
  await hold(channel.id);
  await deliver(
    up.uri,
    people.map((user) => notificationFor(up, { user })),
  );
  await outside.rows(channel, ({ reason }) => reason === 'digest', 60);
  const asked = slack.fault({ method: 'users.lookupByEmail', delayMs: 1, times: Number.POSITIVE_INFINITY });
  await releaseHeld(channel.id);
  await outside.rows(channel, ({ state }) => state === 'posted', 60);
  asked.clear();

  expect(asked.hits()).toBe(20);
  const posted = slack.messages(channel).at(-1);
  if (!posted) throw new Error('nothing was posted');
  expect(slack.textOf(posted)).toMatch(/\*Crowd 0\.\* added .*\*Crowd 7\.\* added /s);
  await slack.click({ user: stage.dana, message: posted, element: slack.button(posted, 'Show all 60') });
  await slack.waitForView(stage.dana, (view) => /Crowd 19\..*\bcrowd20\b/s.test(slack.textOf(view)));
});

test('I mention 60 people in one line: Slack is asked about 20 of them, and can still say who everybody else is', async () => {
  const { slack, teamId } = stage;
  const user = await outside.member({ account: 'dana@example.com' });
  const crowd = Array.from({ length: 60 }, (_, index) =>
    slack.addUser({ teamId, name: `Passer-by ${index}.` }),
  );
  const asked = slack.fault({ method: 'users.info', delayMs: 1, times: Number.POSITIVE_INFINITY });
  const text = `412-873-550 ${crowd.map(({ id }) => `<@${id}>`).join(' ')}`;
  await slack.command({ user, channel: outside.channel({ members: [user] }), command: '/subscribe', text });
  const answer = await slack.waitForEphemeral(user, 'Left out');
  asked.clear();
  // One question is who asks.
  expect(asked.hits()).toBeLessThanOrEqual(21);
  expect(slack.textOf(answer)).toMatch(/Left out: `@Passer-by 0\. .*@Passer-by 19\. @someone/);
});

test('an operator reads of each dead letter, whatever broke it, in one warning with its workspace, channel, owner and number', async () => {
  const deadLines = () =>
    log
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('dead letter'));
  const rows = await outside.query(
    `select seq::text, channel_id, reason from plancast.events
     where state = 'dead' and reason in ('unreadable', 'unrenderable', 'unrecorded')`,
  );
  const owners = await outside.query('select channel_id, owner_user_id from plancast.subscriptions');
  expect(new Set(rows.map(({ reason }) => reason)).size).toBe(3);
  for (const { seq, channel_id } of rows) {
    const person = owners.find((row) => row.channel_id === channel_id)?.owner_user_id;
    const found = deadLines().filter(({ events }) => events.split(' ').includes(seq));
    expect(found).toEqual([
      expect.objectContaining({ level: 'warn', team: stage.teamId, channel: channel_id, person }),
    ]);
  }
});

/** Makes a channel's events wait until `releaseHeld`, so that a test can change them in the meantime. */
async function hold(channelId: string): Promise<void> {
  await outside.query(
    `update plancast.subscriptions set delivery = '{"when": "hourly"}' where channel_id = $1`,
    [channelId],
  );
}

async function releaseHeld(channelId: string): Promise<void> {
  await outside.query(
    `update plancast.subscriptions set delivery = '{"when": "live"}' where channel_id = $1`,
    [channelId],
  );
  await outside.query('update plancast.events set reason = null where channel_id = $1', [channelId]);
  await outside.wakeLanes();
}

/** Lines of 12,000 characters that once took 0.1 to 0.2 s each to read. */
const slowLines = [
  `project 412-873-550 by x${'\u0301\u0315\u0316\u0334\u0327'.repeat(2_400)}`,
  `project 412-873-550 only ${'<@U1|ﷺ'.repeat(1_700)}`,
];

test('S100: a guest types twenty slow lines: each is refused by who typed it, before it is read', async () => {
  const { slack, guest } = stage;
  const channel = slack.addChannel({ name: 'slow lines', members: [guest] });
  const typed = Array.from({ length: 20 }, (_, index) => slowLines[index % slowLines.length] ?? '');
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  const asked = typed.map((text) => slack.command({ user: guest, channel, command: '/subscribe', text }));
  const health = await fetch(`${stage.bot.publicUrl}/healthz`);
  await Promise.all(asked);
  await expect
    .poll(() => slack.ephemerals(guest).filter(({ text }) => /guests can’t/i.test(text)))
    .toHaveLength(20);
  const { user } = process.cpuUsage(before);
  expect(health.status).toBe(200);
  expect(user / 1_000).toBeLessThan(1_000);
});

test.each([' x', ' a&b', ' @sam'])(
  'S100: a typed line of 4,001 characters is refused unread, and one of 4,000 is read, also full of “%s”',
  async (filling) => {
    const user = await outside.member({ account: 'dana@example.com' });
    const line = (length: number) => project.padEnd('/subscribe '.length + length, filling);
    const refused = await outside.ask(user, line(4_001));
    expect(stage.slack.textOf(refused)).toContain('at most 4,000 characters');
    const read = await outside.ask(user, line(4_000));
    expect(stage.slack.textOf(read)).toMatch(/Left out: `(x|a|@|Sam)/);
  },
);
