import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { validateBlocks } from '../../sandbox/slack/block-kit.ts';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { hourMs } from '../../src/lib/durations.ts';
import { type Notice, notify as send } from '../support/notify.ts';
import { settled } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
const logged: string[] = [];
beforeAll(async () => {
  stage = await setStage({ name: 'recap', skipsPauses: true, onLog: (line) => logged.push(line) });
  await stage.link(stage.dana, 'dana@example.com');
});
// A person may do thirty things a minute.
beforeEach(() => stage.advance(61_000));
afterAll(() => stage.close());

const { press, query } = makeStageActions(() => stage);

/** Makes a channel with Dana and Sam in it, subscribed with this line. */
async function following(line = '/subscribe project 412-873-550', channel = newChannel()) {
  const { slack, service, dana } = stage;
  const before = new Set(service.subscriptions.all().map(({ uri }) => uri));
  const count = slack.messages(channel).length;
  await stage.type(dana, line, channel);
  await expect.poll(() => slack.messages(channel).length).toBeGreaterThan(count);
  const uri = service.subscriptions.all().find((each) => !before.has(each.uri))?.uri ?? '';
  return { channel, uri };
}

function newChannel(): Channel {
  const { slack, dana, sam } = stage;
  return slack.addChannel({ members: [dana, sam] });
}

type Sent = Omit<Notice, 'at' | 'item'> & { readonly item?: string };

/** Sends a notification now, with an id for each folder of its path. */
function notify(uri: string, notice: Sent): Promise<number> {
  const { item = `id of ${notice.name}`, path = `Root/${notice.name}` } = notice;
  const folders = path.split('/').slice(0, -1);
  return send(uri, {
    item,
    path,
    idPath: [...folders.map((name) => `id of ${name}`), item].join('/'),
    at: stage.now(),
    ...notice,
  });
}

async function answerTo(user: User, act: () => Promise<unknown>): Promise<Message> {
  const { slack } = stage;
  const from = slack.ephemerals(user).length;
  await act();
  await expect.poll(() => slack.ephemerals(user).length).toBeGreaterThan(from);
  const answer = slack.ephemerals(user)[from];
  if (!answer) throw new Error('no answer');
  expect(validateBlocks(answer.blocks, 'message')).toEqual([]);
  return answer;
}

const recap = (channel: Channel, line = '/plancast recap', user: User = stage.sam) =>
  answerTo(user, () => stage.type(user, line, channel));
/** Presses a button of a recap, which then shows something else in its place. */
async function pressAgain(user: User, message: Message, label: string): Promise<string> {
  const before = textOf(message);
  await press(user, message, label);
  await expect.poll(() => textOf(message)).not.toBe(before);
  return textOf(message);
}

const textOf = (message: Message): string => stage.slack.textOf(message);

test('Sam, who was away for a day, asks what changed: counts a project, people, a row an item, and what was filtered', async () => {
  const { channel, uri } = await following('/subscribe project 412-873-550 only added,changed');
  const { uri: school } = await following('/subscribe project 538-204-917', channel);
  const plan = { item: 'a-102', name: 'A-102.pdf', path: 'Root/Plans/A-102.pdf', user: 'dana@example.com' };
  await notify(uri, plan);
  await notify(uri, { ...plan, eventType: 'Update' });
  await notify(uri, { ...plan, eventType: 'Update' });
  for (const number of [9, 10, 11, 8]) {
    const name = `Photo ${number}.jpg`;
    await notify(uri, { name, path: `Root/Site/${name}` });
  }
  await notify(uri, { ...plan, eventType: 'Delete' });
  await notify(school, { name: 'Roof.pdf', projectId: '538-204-917' });
  await settled(stage, channel);

  const before = stage.slack.messages(channel).length;
  const answer = await recap(channel);

  const text = textOf(answer);
  expect(text).toMatch(/Since .*: 8 changes in 2 projects/);
  expect(text).toMatch(/Project 412-873-550\* · 5 added, 2 updated/);
  expect(text).toMatch(/By \*Sam Okafor\* \(4\) and \*Dana Reyes\* \(3\)/);
  expect(text).toMatch(/\*A-102\.pdf\* in Plans: added, updated 2 times · \*Dana Reyes\*/);
  expect(text).toMatch(/Sam Okafor\* added 4 files to Site .*: \*Photo 8–11\.jpg\*/);
  expect(text).toMatch(/Project 538-204-917\* · 1 added/);
  expect(text).toContain('1 change was filtered');
  expect(text).toContain('goes back 7 days');
  // Only Sam reads it.
  expect(stage.slack.messages(channel)).toHaveLength(before);
});

test('a file that one person moved twice has one row in the digest and in the recap', async () => {
  const { slack } = stage;
  const { channel, uri } = await following('/subscribe project 412-873-550 digest hourly');
  await notify(uri, { item: 'door', name: 'Door.pdf', path: 'Root/Plans/Door.pdf' });
  stage.advance(hourMs);
  await stage.bot.runChore('sweep');
  await slack.waitForMessage(channel, /1 added/);
  for (const folder of ['Site', 'Bids'])
    await notify(uri, {
      item: 'door',
      name: 'Door.pdf',
      path: `Root/${folder}/Door.pdf`,
      eventType: 'Update',
    });
  await notify(uri, { name: 'Wall.pdf', path: 'Root/Plans/Wall.pdf' });
  stage.advance(hourMs);
  await stage.bot.runChore('sweep');

  const digest = await slack.waitForMessage(channel, /2 moved/);
  expect(textOf(digest)).toContain('*Door.pdf* in Bids: moved 2 times · *Sam Okafor*');
  expect(textOf(await recap(channel))).toContain('*Door.pdf* in Bids: added, moved 2 times');
});

test('what waits for a digest or the end of a mute is in it, as far as filters let it pass', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await following(
    '/subscribe project 412-873-550 digest daily 09:00 not by lee@example.com',
  );
  await notify(uri, { name: 'Waits.pdf' });
  await notify(uri, { name: 'Hidden.pdf', user: 'lee@example.com' });
  const held = textOf(await recap(channel));
  expect(held).toMatch(/Since .*: 1 change/);
  expect(held).toContain('Waits.pdf');
  expect(held).not.toContain('Hidden.pdf');
  expect(held).toContain('It hasn’t been posted yet. 1 change was filtered.');

  const { channel: muted, uri: other } = await following();
  await stage.type(dana, '/plancast mute 2h', muted);
  await slack.waitForMessage(muted, 'muted this channel');
  await notify(other, { item: 'w', name: 'Wall.pdf' });
  await notify(other, { item: 'w', name: 'Walls.pdf', eventType: 'Update' });
  await settled(stage, muted);
  expect(textOf(await recap(muted))).toMatch(/\*Walls\.pdf\* \(was \*Wall\.pdf\*\).*: added, renamed/);
});

test('what waits for a digest and will not be posted cannot be found by its name, nor by a part of it', async () => {
  const { channel, uri } = await following(
    '/subscribe folder 412-873-550 f-plans digest daily 09:00 not by lee@example.com',
  );
  await notify(uri, { name: 'Site plan.pdf', path: 'Root/Plans/Site plan.pdf', idPath: 'root/f-plans/1' });
  await notify(uri, { name: 'Plan by Lee.pdf', user: 'lee@example.com', idPath: 'root/f-plans/2' });
  await notify(uri, { name: 'Plan of another folder.pdf', path: 'Root/Bids/Plan of another folder.pdf' });
  await settled(stage, channel);

  const text = textOf(await recap(channel, '/plancast recap plan'));
  expect(text).not.toMatch(/Lee|another folder|Bids/);
  expect(text).toMatch(/\*Site plan\.pdf\* · .*1 change/);
  expect(textOf(await recap(channel, '/plancast recap another'))).toContain(
    'Nothing named “another” changed here',
  );
});

test('an event that waits and cannot be read is left out, and no dead letter yet', async () => {
  const { channel, uri } = await following('/subscribe project 412-873-550 digest daily 09:00');
  await notify(uri, { item: 'broken', name: 'Broken.pdf' });
  await notify(uri, { name: 'Whole.pdf' });
  await query(
    `update plancast.events set notification = jsonb_set(notification, '{path}', '5') where item_keys[1] like '%:broken'`,
  );
  expect(textOf(await recap(channel))).toMatch(/Since .*: 1 change/);
  expect(logged.join()).not.toContain('dead letter');
});

test('one item: by its name, an earlier one, a part that fits one, or a link; where several fit, it asks', async () => {
  const { sam } = stage;
  const { channel, uri } = await following();
  await notify(uri, { item: '50', name: 'A-101 Floor plan.pdf', path: 'Root/Plans/A-101 Floor plan.pdf' });
  await settled(stage, channel);
  const renamed = { item: '50', name: 'A-101 Ground floor.pdf', path: 'Root/Plans/A-101 Ground floor.pdf' };
  await notify(uri, { ...renamed, eventType: 'Update', user: 'dana@example.com' });
  await notify(uri, { item: '51', name: 'A-102 Floor plan.pdf', path: 'Root/Plans/A-102 Floor plan.pdf' });
  await settled(stage, channel);

  for (const named of [
    'A-101 Ground floor.pdf',
    'a-101 floor plan.pdf',
    '"A-101"',
    'today of A-101 Ground floor.pdf please',
    'https://studio.example/projects/412-873-550/files/50?tab=versions',
  ]) {
    const text = textOf(await recap(channel, `/plancast history ${named}`));
    expect([named, text]).toEqual([named, expect.stringMatching(/A-101 Ground floor\.pdf.* · .*2 changes/)]);
    expect(text).toMatch(
      /Dana Reyes.* renamed .*A-101 Floor plan\.pdf.*A-101 Ground floor\.pdf.*\n.*Sam Okafor.* added/s,
    );
    expect(text).not.toContain('A-102');
  }
  const question = await recap(channel, '/plancast recap floor');
  expect(textOf(question)).toMatch(/“floor” matches 2 names\..*A-102 Floor plan\.pdf.* in Plans/s);
  expect(await pressAgain(sam, question, 'Show')).toMatch(/A-102 Floor plan\.pdf.* · .*1 change/);
  expect(textOf(await recap(channel, '/plancast recap A-999'))).toMatch(
    /Nothing named “A-999” changed here.*3 changes/s,
  );
});

test('I type what is in twenty thousand names full of accents: it takes no time from everybody else to ask me which', async () => {
  const { channel, uri } = await following();
  await notify(uri, { name: 'A-0.pdf' });
  await settled(stage, channel);
  await query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, fingerprint, item_keys, notification,
       received_at, posted_at, message_ts)
     select 'n' || n, subscription_id, team_id, channel_id, state, fingerprint || n, array['ProjectItems:412-873-550:' || n, item_keys[2]],
       notification || jsonb_build_object('itemId', 'i' || n, 'name', 'A-' || n || repeat($2, 200) || '.pdf'),
       received_at, posted_at, message_ts
     from plancast.events cross join generate_series(1, 20000) n where channel_id = $1`,
    [channel.id, '\u0301\u0316'],
  );
  // The time of this process alone, so a busy machine makes no difference.
  const before = process.cpuUsage();
  expect(textOf(await recap(channel, '/plancast recap pdf'))).toContain('matches 20,001 names');
  const { user } = process.cpuUsage(before);
  expect(user / 1_000).toBeLessThan(1_500);
});

test('I send a channel changes with the longest names and paths there can be: a recap reads the newest as far as memory allows', async () => {
  const { channel, uri } = await following();
  await notify(uri, { name: 'A-0.pdf' });
  await settled(stage, channel);
  await query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, fingerprint, item_keys, notification,
       received_at, posted_at, message_ts)
     select 'n' || n, subscription_id, team_id, channel_id, state, fingerprint || n, array['ProjectItems:412-873-550:' || n, item_keys[2]],
       notification || jsonb_build_object('itemId', 'i' || n, 'name', repeat('x', 4000) || n, 'path', repeat('y', 4000), 'idPath', repeat('z', 4000)),
       received_at + n * interval '1 ms', posted_at, message_ts
     from plancast.events cross join generate_series(1, 1000) n where channel_id = $1`,
    [channel.id],
  );
  const text = textOf(await recap(channel));
  expect(text).toContain('Only the newest changes are listed.');
  expect(text).toMatch(/: (6\d\d) changes/);
});

test('the days are those of the reader, and a recap reaches 7 days back', async () => {
  const { slack, teamId, dana } = stage;
  const tokyo = slack.addUser({ teamId, realName: 'Taro Sato', tz: 'Asia/Tokyo' });
  const { channel, uri } = await following();
  channel.members.add(tokyo.id);
  await notify(uri, { name: 'Old.pdf' });
  await settled(stage, channel);
  stage.advance(3 * 24 * 3_600_000);
  await notify(uri, { name: 'New.pdf' });
  await settled(stage, channel);
  const answer = await recap(channel, '/plancast recap', tokyo);
  expect(textOf(answer)).toContain('New.pdf');
  expect(textOf(answer)).not.toContain('Old.pdf');
  // Midnight in Tokyo is 15:00 UTC.
  expect(JSON.stringify(answer.blocks)).toMatch(/<!date\^\d+\^[^|]*\|[^>]*15:00 UTC>/);
  expect(await pressAgain(tokyo, answer, 'Last 7 days')).toMatch(/Old\.pdf|2 files/);
  stage.advance(5 * 24 * 3_600_000);
  expect(textOf(await recap(channel, '/plancast recap 30 days', dana))).not.toContain('Old.pdf');
});

test('a recap reaches back as long as the workspace keeps names, and says so', async () => {
  const { teamId } = stage;
  const { channel, uri } = await following();
  const set = (value: object) =>
    query(
      `insert into plancast.settings (team_id, value) values ($1, $2)
       on conflict (team_id) do update set value = excluded.value`,
      [teamId, JSON.stringify(value)],
    );
  await notify(uri, { name: 'Lobby.pdf' });
  await settled(stage, channel);
  stage.advance(3 * 24 * hourMs);
  await set({ detailsDays: 2 });

  const answer = await recap(channel, '/plancast recap 7 days');
  const unknown = await recap(channel, '/plancast recap Nowhere');
  await set({});

  expect(textOf(answer)).toContain('A recap goes back 2 days; names are deleted after that.');
  expect(textOf(answer)).not.toContain('Lobby.pdf');
  expect(textOf(answer)).not.toContain('Last 7 days');
  expect(textOf(unknown)).toContain('changed here in the last 2 days');
});

test('in a channel shared with another organization it shows no more than the channel does', async () => {
  const { slack, dana, sam } = stage;
  const channel = slack.addChannel({ members: [dana, sam], isExtShared: true });
  const question = await answerTo(dana, () => stage.type(dana, '/subscribe project 412-873-550', channel));
  const before = new Set(stage.service.subscriptions.all().map(({ uri }) => uri));
  await press(dana, question, 'Subscribe anyway');
  await slack.waitForMessage(channel, 'to this channel');
  const uri = stage.service.subscriptions.all().find((each) => !before.has(each.uri))?.uri ?? '';
  await notify(uri, {
    name: 'Offer.pdf',
    user: 'contractor@other-firm.example',
    path: 'Root/Bidding/Offers/Offer.pdf',
  });
  await notify(uri, {
    name: 'Offer 2.pdf',
    path: 'Root/Bidding/Offers/Offer 2.pdf',
    idPath: 'root/bidding/offers/2',
  });
  await settled(stage, channel);
  const texts = [await recap(channel), await recap(channel, '/plancast recap offer')].map(textOf);
  expect(texts.join()).toContain('Offers');
  expect(texts.join()).not.toMatch(/Bidding|contractor|other-firm/);
});

test('to ask which item is meant takes nobody’s name from Slack, posted or waiting', async () => {
  const { slack, sam } = stage;
  const { channel, uri } = await following();
  await notify(uri, { name: 'Stair one.pdf', path: 'Root/Stair one.pdf' });
  await settled(stage, channel);
  await stage.type(sam, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'muted');
  await notify(uri, { name: 'Stair two.pdf', path: 'Root/Stair two.pdf' });
  await stage.forgetSlack();
  const asked = slack.callsOf('users.lookupByEmail').length;
  const question = textOf(await recap(channel, '/plancast recap stair'));
  expect(question).toMatch(/matches 2 names.*Stair (one|two).*Stair (one|two)/s);
  expect(slack.callsOf('users.lookupByEmail')).toHaveLength(asked);
});

test('a recap of my direct messages begins with their name', async () => {
  const answer = await recap(newChannel(), '/plancast recap to me', stage.dana);
  expect(answer.text).toMatch(/^Your direct messages with me · No changes since/);
});

test('Catch me up in Home lists the channels one is in, the newest first, and shows each', async () => {
  const { slack, teamId } = stage;
  const eve = slack.addUser({ teamId, realName: 'Eve New', name: 'Eve New' });
  const first = await following();
  const second = await following();
  const others = await following();
  for (const { channel } of [first, second]) channel.members.add(eve.id);
  for (const [index, { uri }] of [second, first, others].entries())
    await notify(uri, { name: `In ${index}.pdf` });
  for (const { channel } of [first, second, others]) await settled(stage, channel);
  await slack.openHome(eve);
  await query(
    `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, fingerprint, notification, item_keys,
       message_ts, received_at, posted_at)
     select 'copy ' || n, subscription_id, team_id, channel_id, state, 'copy ' || n, notification, item_keys, message_ts, received_at, posted_at
     from plancast.events, generate_series(1, 5000) n where notification ->> 'name' = 'In 0.pdf'`,
  );
  const home = await slack.waitForHome(eve, 'Catch me up');
  const before = slack.lastView(eve)?.id;
  await slack.click({ user: eve, view: home, element: slack.button(home, 'Catch me up') });
  const list = await slack.waitForView(eve, (view) => view.id !== before);
  const text = slack.textOf(list);
  expect(text).toMatch(
    new RegExp(
      `2 channels.*${first.channel.id}.*1 change.*${second.channel.id}.*more than 5,000 changes`,
      's',
    ),
  );
  expect(text).not.toContain(others.channel.id);
  await slack.click({ user: eve, view: list, element: slack.button(list, 'Show') });
  const shown = await slack.waitForView(eve, 'In 1.pdf');
  expect(slack.textOf(shown)).not.toContain('In 0.pdf');
  await slack.click({ user: eve, view: shown, element: slack.button(shown, 'All channels') });
  await slack.waitForView(eve, '2 channels');
});
