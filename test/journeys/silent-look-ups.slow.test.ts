import { afterAll, beforeAll, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'silent look ups' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

test('Slack never says who Sam is, who is not linked: a channel that filters by Sam still gets what may be from him', async () => {
  const { slack, service, dana, sam } = stage;
  const channel = slack.addChannel({ name: 'by sam', members: [dana, sam] });
  const text = `project 412-873-550 by <@${sam.id}>`;
  await slack.command({ user: dana, channel, command: '/subscribe', text });
  await slack.waitForMessage(channel, 'to this channel');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  await stage.database.connect().pool.query(`delete from plancast.keyv where key ~ '^(profiles|current):'`);
  const silence = slack.fault({ method: 'users.info', hang: true, times: Number.POSITIVE_INFINITY });
  expect(await notify(uri, { item: 'a', name: 'Stairs.pdf', user: 'sam@example.com' })).toBe(200);
  // One lookup that times out after 10 s.
  await slack.waitForMessage(channel, 'Stairs.pdf', 14_000);
  silence.clear();
}, 40_000);

test('Slack never says who a person is: a channel that filters by person still gets its message', async () => {
  const { slack, service, dana } = stage;
  const channel = slack.addChannel({ name: 'by dana', members: [dana] });
  await stage.type(dana, '/subscribe project 412-873-550 by me', channel);
  await slack.waitForMessage(channel, 'to this channel');
  const uri = service.subscriptions.all().at(-1)?.uri ?? '';
  await stage.database.connect().pool.query(`delete from plancast.keyv where key like 'profiles:%'`);
  slack.fault({ method: 'users.info', hang: true, times: Number.POSITIVE_INFINITY });

  expect(await notify(uri, { item: 'a', name: 'Stairs.pdf', user: 'dana@example.com' })).toBe(200);
  // One lookup that times out after 10 s, and no second one.
  await slack.waitForMessage(channel, 'Stairs.pdf', 14_000);
  expect(await notify(uri, { item: 'b', name: 'Roof.pdf', user: 'dana@example.com' })).toBe(200);
  // It joins the first message, by an edit after five seconds, and not after ten more.
  await slack.waitForMessage(channel, 'Roof.pdf', 9_000);
}, 40_000);

test('Slack never says who a person is: they read that, and not that Plancast has an error', async () => {
  const { slack } = stage;
  const newcomer = slack.addUser({ realName: 'Nora New' });
  const channel = slack.addChannel({ name: 'newcomers', members: [newcomer] });
  slack.fault({ method: 'users.info', hang: true, times: Number.POSITIVE_INFINITY });
  await stage.type(newcomer, '/subscribe project 412-873-550', channel);
  const answer = await slack.waitForEphemeral(newcomer, 'couldn’t check with Slack who you are', 14_000);
  expect(slack.textOf(answer)).not.toContain('Plancast');
  expect(slack.messages(channel)).toEqual([]);
}, 40_000);
