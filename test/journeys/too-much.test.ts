import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { lookFromOutside, type Outside } from '../contract/outside.ts';
import { notify } from '../support/notify.ts';
import { allPosted, settled } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';

const project = '412-873-550';
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Dana's zone, half an hour off the full hours of UTC, and without summer time. */
const tz = 'Asia/Kolkata';
const offset = 5.5 * hour;

let stage: Stage;
let outside: Outside;
beforeAll(async () => {
  stage = await setStage({ name: 'too much', skipsPauses: true, standsStill: true });
  outside = lookFromOutside(stage);
});
afterAll(async () => {
  await outside.close();
  await stage.close();
});

/** Lets it become this time of the next day in Dana's zone, or of today with `from` 0. */
function becomes(time: number, days = 1): void {
  const local = stage.now().getTime() + offset;
  const midnight = Math.floor(local / day) * day;
  stage.advance(midnight + days * day + time - local);
}

const owner = (more: Partial<User> = {}) =>
  outside.member({ account: 'dana@example.com', realName: 'Dana Reyes', tz, ...more });

/** Posts a message with a change in a channel, and copies its event until there are so many messages. */
async function post(channel: Channel, uri: string, count: number, projectId = project): Promise<void> {
  const item = randomUUID();
  await notify(uri, { item, name: `${item}.pdf`, user: 'lee@example.com', at: stage.now(), projectId });
  await settled(stage, channel);
  await outside.query(
    `insert into plancast.events overriding system value
     select (jsonb_populate_record(e, jsonb_build_object('seq', nextval('plancast.events_seq_seq'),
       'notification_id', gen_random_uuid(), 'message_ts', round(e.message_ts::numeric - n - random()::numeric, 6)))).*
     from plancast.events e, generate_series(1, $2::int) n
     where e.seq = (select max(seq) from plancast.events where channel_id = $1)`,
    [channel.id, count - 1],
  );
}

/** Makes all messages of a channel those of a day ago, a second apart, as if as many had been posted then. */
async function repeatYesterday(channel: Channel): Promise<void> {
  const seconds = Math.floor(stage.now().getTime() / 1_000);
  await outside.query(
    `update plancast.events e set message_ts = to_char($2::numeric - back, 'FM0000000000.000000')
     from (select seq, dense_rank() over (order by message_ts desc) as back from plancast.events where channel_id = $1) m
     where e.seq = m.seq`,
    [channel.id, seconds - 86_400],
  );
  await outside.query('update plancast.lanes set last_post_at = $2 where channel_id = $1', [
    channel.id,
    new Date(stage.now().getTime() - day),
  ]);
}

async function ask(): Promise<void> {
  await stage.bot.runChore('ask-about-volume');
  await allPosted(stage);
}
const questionsTo = (person: User) =>
  stage.slack.directMessages(person).filter(({ text }) => text.includes('Would one digest a day be better'));
const press = (user: User, button: string) => {
  const message = questionsTo(user).at(-1);
  if (!message) throw new Error('nothing was asked');
  return stage.slack.click({ user, message, element: stage.slack.button(message, button) });
};

test('60 messages on a day, and edits of them, are not too much; of 61 Dana is asked at 9:00 of the next, until she chooses', async () => {
  becomes(1 * hour);
  const dana = await owner();
  const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  await post(channel, up.uri, 60);
  for (let n = 0; n < 3; n += 1) {
    await notify(up.uri, {
      item: `saved ${n}`,
      name: `saved ${n}.pdf`,
      user: 'lee@example.com',
      at: stage.now(),
    });
    await settled(stage, channel);
  }
  becomes(9 * hour);
  await ask();
  expect(questionsTo(dana)).toEqual([]);

  await post(channel, up.uri, 1);
  const nextAsk = async (days: number, time = 9 * hour) => {
    becomes(time, days);
    await repeatYesterday(channel);
    await ask();
    return questionsTo(dana).length;
  };
  expect(await nextAsk(1, 8 * hour + 59 * minute)).toBe(0);
  expect(await nextAsk(0)).toBe(1);
  expect(questionsTo(dana)[0]?.text).toMatch(
    /^I posted 61 messages in .*yesterday, all of them about project/,
  );
  // Without an answer she is asked again after 14 days, and after Keep when 90 have passed.
  expect(await nextAsk(1)).toBe(1);
  expect(await nextAsk(12)).toBe(1);
  expect(await nextAsk(2)).toBe(2);
  await press(dana, 'Keep as it is');
  await expect.poll(() => stage.slack.directMessages(dana).at(-1)?.text).toContain('stays as it is. I');
  expect(await nextAsk(20)).toBe(1);
  expect(await nextAsk(69)).toBe(1);
  expect(await nextAsk(2)).toBe(2);

  await press(dana, 'Daily at 9:00, deletions as they happen');
  const changed = await stage.slack.waitForMessage(channel, 'changed the subscription');
  expect(stage.slack.textOf(changed)).toContain(
    'in a daily digest at 9:00 Kolkata time, deletions as they happen',
  );
  await expect
    .poll(() => stage.slack.directMessages(dana).at(-1)?.text)
    .toMatch(/now gets project .* in a daily digest at 9:00. Deletions are still posted as they happen/);
});

test('the list and Home say how many messages a day came in the last 7 days, once a subscription is as old', async () => {
  becomes(1 * hour);
  const dana = await owner();
  const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  stage.advance(2 * day);
  await post(channel, up.uri, 14);
  const young = await outside.ask(dana, '/subscriptions', { channel, wanted: /This channel has/ });
  expect(stage.slack.textOf(young)).not.toMatch(/messages? a day/);
  stage.advance(5.5 * day);
  const list = await outside.ask(dana, '/subscriptions', { channel, wanted: /This channel has/ });
  expect(stage.slack.textOf(list)).toContain('2 messages a day, last 7 days');
  await stage.slack.openHome(dana);
  await expect
    .poll(() => JSON.stringify(stage.slack.homeView(dana)?.blocks))
    .toContain('2 messages a day, last 7 days');
});

test('Sam’s subscription posted the most: he is asked, unless he may not change it any more; an owner who takes no direct messages stops nothing', async () => {
  becomes(1 * hour);
  const [dana, sam, otto] = [
    await owner(),
    await owner({ realName: 'Sam Okafor' }),
    await owner({ realName: 'Otto Silent' }),
  ];
  const silent = await outside.following(`/subscribe project ${project}`, { owner: otto });
  const { channel, up } = await outside.following(`/subscribe project ${project}`, { owner: dana });
  channel.members.add(sam.id);
  const second = await outside.following('/subscribe project 538-204-917', { channel, owner: sam });
  await post(channel, up.uri, 3);
  await post(channel, second.up.uri, 58, '538-204-917');
  await post(silent.channel, silent.up.uri, 61);
  const fault = stage.slack.fault({
    method: 'chat.postMessage',
    channel: stage.slack.directMessages(otto).at(-1)?.channelId,
    error: 'messages_tab_disabled',
    times: Infinity,
  });
  channel.members.delete(sam.id);
  await stage.forgetSlack();
  becomes(9 * hour);
  await ask();
  expect([questionsTo(dana), questionsTo(sam)]).toEqual([[], []]);
  expect(fault.hits()).toBeGreaterThan(0);
  channel.members.add(sam.id);
  stage.advance(15 * minute);
  await ask();
  expect(questionsTo(dana)).toEqual([]);
  expect(questionsTo(sam)).toHaveLength(1);
  expect(questionsTo(sam)[0]?.text).toContain('61 messages');
  expect(questionsTo(sam)[0]?.text).toContain('58');
});
