import { afterAll, beforeAll, expect, test } from 'vitest';
import { testTokenKeys } from '../support/bot.ts';
import { makeChannelActions } from '../support/channel-actions.ts';
import { settled } from '../support/settled.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { environment, runCommand } from './run-command.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'dead letters' });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.type(stage.dana, '/subscribe project 412-873-550');
  await stage.slack.waitForMessage(stage.plans, 'to this channel');
});
afterAll(() => stage.close());

const { follow, notify } = makeChannelActions(() => stage);
const deadLetters = (...args: string[]) =>
  runCommand('src/commands/dead-letters.ts', args, {
    ...environment,
    DATABASE_URL: stage.database.url,
    TOKEN_KEYS: testTokenKeys,
  });

const query = async <Row extends object>(text: string): Promise<Row[]> =>
  (await stage.database.connect().pool.query<Row>(text)).rows;

const project = 'Harbour Tower';
const create = (name: string) =>
  stage.service.act('sam@example.com', { action: 'create-file', project, parent: 'Plans', name });
const rename = (item: string, name: string) =>
  stage.service.act('sam@example.com', { action: 'rename-item', project, item, name });

/** Makes Slack refuse the message about a change of Sam's, both in full and as plain text. Returns the id of the dead letter. */
async function makeDeadLetter(
  name: string,
  change: () => unknown = () => create(name),
  channel = stage.plans,
): Promise<string> {
  const refusing = stage.slack.fault({
    method: 'chat.postMessage',
    channel: channel.id,
    error: 'invalid_blocks',
    times: 2,
  });
  // So that it joins no earlier message.
  await settled(stage, channel);
  stage.advance(16 * 60_000);
  await change();
  const dead = () =>
    query<{ seq: string }>(
      `select seq from plancast.events where state = 'dead' and notification ->> 'name' = '${name}'`,
    );
  await expect.poll(dead, { timeout: 10_000 }).toHaveLength(1);
  expect(refusing.hits()).toBe(2);
  return (await dead())[0]?.seq ?? '';
}

test('an admin sees what Slack refused and retries it, and the audit records it', async () => {
  const seq = await makeDeadLetter('Refused.pdf');

  const listed = await deadLetters('list');
  const shown = await deadLetters('show', seq);
  const replayed = await deadLetters('replay', seq);
  const message = await stage.slack.waitForMessage(stage.plans, 'Refused.pdf');

  const lane = `${stage.teamId}/${stage.plans.id}`;
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.lines).toEqual([
    expect.stringMatching(
      new RegExp(
        `^${seq} {2}20\\S+Z {2}${lane} {2}[0-9a-f-]{36} {2}invalid_blocks {2}Create file in project 412-873-550$`,
      ),
    ),
  ]);
  expect(listed.stdout).not.toContain('@');
  expect(shown.stdout).toContain('Slack said: invalid_blocks\n');
  expect(shown.stdout).toContain('"actorEmail": "sam@example.com"');
  expect(replayed).toMatchObject({ code: 0, stdout: `${seq} will be retried.\n`, stderr: '' });
  expect(message.text).toContain('Sam Okafor');
  await expect
    .poll(() => query(`select state, message_ts from plancast.events where seq = ${seq}`))
    .toEqual([{ state: 'posted', message_ts: message.ts }]);
  expect(
    await query(`select team_id, channel_id, act, detail from plancast.audit where act like 'replay%'`),
  ).toEqual([
    {
      team_id: stage.teamId,
      channel_id: stage.plans.id,
      act: 'replay dead letters',
      detail: { events: seq },
    },
  ]);
});

test('a rename that an admin retries reads as a rename, and is not taken for the last one', async () => {
  const { slack, plans, service } = stage;
  create('First.pdf');
  await slack.waitForMessage(plans, 'First.pdf');
  const seq = await makeDeadLetter('Second.pdf', () => rename('Plans/First.pdf', 'Second.pdf'));
  rename('Plans/Second.pdf', 'Third.pdf');
  await slack.waitForMessage(plans, 'renamed “Second.pdf” to “Third.pdf”');

  await deadLetters('replay', seq);

  await slack.waitForMessage(plans, 'renamed “First.pdf” to “Second.pdf”');
  service.act('sam@example.com', { action: 'check-in', project, item: 'Plans/Third.pdf' });
  await slack.waitForMessage(plans, 'updated “Third.pdf”');
});

test('an addition that an admin retries after a rename does not bring the old name back', async () => {
  const { slack, plans, service } = stage;
  const seq = await makeDeadLetter('Old.pdf');
  rename('Plans/Old.pdf', 'New.pdf');
  await slack.waitForMessage(plans, 'renamed “Old.pdf” to “New.pdf”');

  await deadLetters('replay', seq);

  await slack.waitForMessage(plans, 'added “Old.pdf”');
  service.act('sam@example.com', { action: 'check-in', project, item: 'Plans/New.pdf' });
  await slack.waitForMessage(plans, 'updated “New.pdf”');
});

test('an update of a file that the channel did not know yet does not become a rename when an admin retries it', async () => {
  const seq = await makeDeadLetter('D-01 Stairs.pdf', () =>
    rename('Details/D-01 Stair.pdf', 'D-01 Stairs.pdf'),
  );

  await deadLetters('replay', seq);

  await stage.slack.waitForMessage(stage.plans, 'updated “D-01 Stairs.pdf”');
});

test('what comes after an addition that an admin retries goes into its thread', async () => {
  const { slack, dana } = stage;
  const channel = slack.addChannel({ members: [dana] });
  const uri = await follow(channel, '/subscribe project 412-873-550 threads');
  const seq = await makeDeadLetter('Facade.pdf', () => notify(uri, 'Facade.pdf'), channel);

  await deadLetters('replay', seq);

  const added = await slack.waitForMessage(channel, 'added “Facade.pdf”');
  await notify(uri, 'Facade.pdf', { eventType: 'Update' });
  const updated = await slack.waitForMessage(channel, 'updated “Facade.pdf”');
  expect(updated.threadTs).toBe(added.ts);
});

test('a dead letter older than a week is still posted when an admin retries it', async () => {
  const seq = await makeDeadLetter('Long ago.pdf');
  await query(
    `update plancast.events set received_at = received_at - interval '9 days' where seq = ${seq} returning seq`,
  );

  const { lines } = await deadLetters('replay', 'all');
  await stage.slack.waitForMessage(stage.plans, 'Long ago.pdf');

  expect(lines).toEqual(['1 of 1 will be retried.']);
});

test("an admin who has only a notification's id from a log finds its events and replays them", async () => {
  const seq = await makeDeadLetter('By its id.pdf');
  const [{ id } = { id: '' }] = await query<{ id: string }>(
    `select notification_id as id from plancast.events where seq = ${seq}`,
  );

  const shown = await deadLetters('show', id);
  const replayed = await deadLetters('replay', `{${id.toUpperCase()}}`);
  await stage.slack.waitForMessage(stage.plans, 'By its id.pdf');

  expect(shown.lines[0]).toBe(`id: ${seq}`);
  expect(replayed).toMatchObject({ code: 0, stdout: `${seq} will be retried.\n`, stderr: '' });
});

test('an event that can no longer be posted stays a dead letter, and the admin sees why', async () => {
  const seq = await makeDeadLetter('Too late.pdf');
  await stage.type(stage.dana, '/unsubscribe project 412-873-550');
  await stage.slack.waitForMessage(stage.plans, 'removed the subscription');

  const one = await deadLetters('replay', seq);
  const all = await deadLetters('replay', 'all');

  expect(one).toMatchObject({ code: 1, stdout: '' });
  expect(one.stderr).toBe(
    `${seq} cannot be retried: its subscription has ended, or its details were deleted.\n`,
  );
  expect(all.lines).toEqual([
    '0 of 1 will be retried.',
    'The others cannot be retried: their subscriptions have ended, or their details were deleted.',
  ]);
  expect(await query(`select state from plancast.events where seq = ${seq}`)).toEqual([{ state: 'dead' }]);
});

test('an unknown id, or the id of an event that was posted, is refused with exit code 1', async () => {
  const [posted] = await query<{ seq: string }>(
    `select seq from plancast.events where state = 'posted' limit 1`,
  );

  const runs = await Promise.all([
    deadLetters('show', posted?.seq ?? ''),
    deadLetters('replay', '99999999999999999999'),
    deadLetters('show', '00000000-0000-0000-0000-000000000000'),
  ]);

  for (const { code, stdout, stderr } of runs) {
    expect(stderr).toMatch(/^There is no dead letter with that id: `npm run dead-letters -- list` .+\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(1);
  }
});

test('an admin who types anything else gets the usage', async () => {
  const { code, stdout, stderr } = await deadLetters('replay', '1', '2');

  expect(stderr).toMatch(/^Usage: npm run dead-letters -- list .+\n(.+\n){4}$/);
  expect(stdout).toBe('');
  expect(code).toBe(2);
});

test('when the database is unreachable, the error says so without the password', async () => {
  const { code, stdout, stderr } = await runCommand('src/commands/dead-letters.ts', ['list'], {
    ...environment,
    DATABASE_URL: 'postgres://plancast:hunter2@127.0.0.1:9/plancast',
  });

  expect(stderr).toMatch(
    /^The database of DATABASE_URL cannot be reached \(nothing listens there\): start Postgres, or .+\.$/m,
  );
  expect(`${stdout}${stderr}`).not.toContain('hunter2');
  expect(code).toBe(69);
});
