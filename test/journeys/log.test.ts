import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

type Line = Readonly<Record<string, unknown>> & { readonly level: string; readonly msg: string };

let stage: Stage;
const written: string[] = [];
const lines = (msg: string): Line[] =>
  written.map((line) => JSON.parse(line)).filter((line) => line.msg === msg);
const waitFor = (msg: string, fields: Record<string, unknown>) =>
  expect.poll(() => lines(msg)).toContainEqual(expect.objectContaining(fields));

beforeAll(async () => {
  stage = await setStage({ name: 'log', skipsPauses: true, onLog: (line) => written.push(line) });
});
afterAll(() => stage.close());

test('an operator reads in the log who linked, subscribed, changed, paused, resumed, removed and unlinked', async () => {
  const { slack, teamId: team, dana, sam, plans } = stage;
  const where = { level: 'info', team, channel: plans.id };

  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await waitFor('subscribed', { ...where, person: dana.id, subscription: expect.any(String) });
  await stage.type(dana, '/subscribe project 412-873-550 only create,delete');
  await waitFor('changed', { ...where, person: dana.id });
  await stage.type(sam, '/unsubscribe project 412-873-550');
  await waitFor('removed', { ...where, person: sam.id });
  await stage.type(dana, '/subscribe project 412-873-550');
  await expect.poll(() => lines('subscribed')).toHaveLength(2);
  await stage.type(dana, '/plancast unlink');
  const question = await slack.waitForEphemeral(dana, 'Unlink your account');
  await slack.click({ user: dana, message: question, element: slack.button(question, 'Unlink') });
  await slack.waitForMessage(plans, 'is paused: Dana Reyes unlinked their account.');
  await waitFor('unlinked', { level: 'info', team, person: dana.id, link: expect.any(String) });

  expect(lines('linked')).toEqual([
    expect.objectContaining({ level: 'info', team, person: dana.id, link: expect.any(String) }),
  ]);
  const { rows } = await stage.database.connect().pool.query('select act from plancast.audit order by id');
  expect(rows.map(({ act }) => act)).toEqual([
    'link',
    'subscribe',
    'change subscription',
    'unsubscribe',
    'subscribe',
    'unlink',
  ]);
  // A pause caused by unlinking has no actor, but a reason.
  expect(lines('paused')).toEqual([expect.objectContaining({ ...where, reason: 'unlinked' })]);
  expect(lines('Slack request')[0]).toMatchObject({
    level: 'debug',
    team,
    person: dana.id,
    request: 'command',
  });
});

test('an operator can trace one notification by its id, from receipt to message, and no secret is logged', async () => {
  const { slack, service, sam } = stage;
  const followed = slack.addChannel({ name: 'followed', members: [sam] });
  await stage.link(sam, 'sam@example.com');
  await stage.type(sam, '/subscribe project 412-873-550', followed);
  await slack.waitForMessage(followed, 'to this channel');
  service.act('sam@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Plans',
    name: 'Followed.pdf',
  });
  const message = await slack.waitForMessage(followed, 'Followed.pdf');
  const { rows } = await stage.database
    .connect()
    .pool.query(
      `select seq, notification_id as id, subscription_id from plancast.events order by seq desc limit 1`,
    );
  const [{ seq, id, subscription_id: subscription }] = rows;

  await waitFor('turn', {
    notifications: id,
    events: seq,
    message: message.ts,
    channel: followed.id,
    state: 'posted',
  });
  const ofIt = written.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
  expect(ofIt).toEqual([
    expect.objectContaining({
      level: 'debug',
      msg: 'notification',
      team: stage.teamId,
      channel: followed.id,
      person: sam.id,
      subscription,
      result: 'stored',
      status: 200,
    }),
    expect.objectContaining({ level: 'debug', msg: 'turn', state: 'posted' }),
  ]);
  expect(lines('request')).toContainEqual(
    expect.objectContaining({ method: 'POST', route: '/notifications', status: 200, ms: expect.any(Number) }),
  );
  const [{ uri, key } = { uri: '', key: '' }] = service.subscriptions.all();
  const secrets = [
    ...['@example.com', 'Followed.pdf', 'Plans', 'Dana Reyes', 'Sam Okafor', 'practice-client-secret'],
    ...['xoxb-', stage.signingSecret, new URL(uri).pathname.split('/').at(-1) ?? '', key ?? ''],
  ];
  expect(secrets.filter((secret) => secret === '' || written.some((line) => line.includes(secret)))).toEqual(
    [],
  );
});

test('a message that Slack refuses is a warning with the ids by which an admin finds it again', async () => {
  const { slack, service, teamId: team, sam } = stage;
  slack.fault({ method: 'chat.postMessage', error: 'invalid_blocks', times: 2 });
  // What Sam adds would join his last message.
  service.act('dana@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Plans',
    name: 'Refused.pdf',
  });

  const ids = { team, channel: expect.any(String), person: sam.id };
  await waitFor('dead letter', { level: 'warn', ...ids, error: 'invalid_blocks' });
  const dead = async () =>
    (await stage.database.connect().pool.query(`select seq from plancast.events where state = 'dead'`)).rows;
  await expect.poll(dead).toEqual(lines('dead letter').map(({ events: seq }) => ({ seq })));
});

test('a command fails on an error of the bot: its line has the reference that the person reads, and who typed it where', async () => {
  const { slack, teamId: team, sam, plans } = stage;
  const { pool } = stage.database.connect();
  await pool.query('alter table plancast.subscriptions rename to gone');
  await stage.type(sam, '/subscriptions');
  const answer = await slack.waitForEphemeral(sam, 'reference');
  await pool.query('alter table plancast.gone rename to subscriptions');

  const [line] = lines('a Slack request failed');
  expect(line).toMatchObject({ level: 'error', team, channel: plans.id, person: sam.id });
  expect(slack.textOf(answer)).toContain(String(line?.reference));
});

test('a subscription that ends because its resource was deleted is in the log, with the reason', async () => {
  const { service, teamId: team, sam } = stage;

  service.act('sam@example.com', { action: 'delete-project', project: 'Harbour Tower' });

  await waitFor('removed', { level: 'info', team, person: sam.id, reason: 'deleted' });
});

test('a member takes over a subscription that had paused: its resumption is in the log, with who did it and why it was paused', async () => {
  const { slack, teamId: team, sam } = stage;
  const lee = slack.addUser({ teamId: team, name: 'Lee Tan', email: 'lee@example.com' });
  const channel = slack.addChannel({ members: [sam, lee] });
  await stage.link(lee, 'lee@example.com', channel);
  await stage.type(lee, '/subscribe session 731-450-286', channel);
  await slack.waitForMessage(channel, 'Lee Tan added');
  await stage.type(lee, '/plancast unlink', channel);
  const question = await slack.waitForEphemeral(lee, 'Unlink your account');
  await slack.click({ user: lee, message: question, element: slack.button(question, 'Unlink') });
  const paused = await slack.waitForMessage(channel, 'is paused: Lee Tan unlinked their account.');

  await slack.click({ user: sam, message: paused, element: slack.button(paused, 'Take over') });

  const ids = { level: 'info', team, channel: channel.id, subscription: expect.any(String) };
  await waitFor('resumed', { ...ids, person: sam.id, reason: 'unlinked' });
});
