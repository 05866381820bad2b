import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { testTokenKeys } from '../support/bot.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import { environment, runCommand } from './run-command.ts';

const project = '412-873-550';
const { following, query } = makeStageActions(() => stage);
let stage: Stage;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-import-'));
  stage = await setStage({ name: 'subscriptions command' });
  await stage.link(stage.dana, 'dana@example.com');
  await following(
    stage.dana,
    stage.plans,
    `/subscribe project ${project} only added in "Plans/**" digest daily 9:00 as "Tower: north"`,
  );
});
afterAll(async () => {
  await stage.close();
  await rm(folder, { recursive: true });
});

const subscriptions = (...args: string[]) =>
  runCommand('src/commands/subscriptions.ts', args, {
    ...environment,
    DATABASE_URL: stage.database.url,
    TOKEN_KEYS: testTokenKeys,
  });

async function fileWith(text: string): Promise<string> {
  const path = join(folder, `${Math.random().toString(36).slice(2)}.yaml`);
  await writeFile(path, text);
  return path;
}

/** Asks owners now; the bot does it once a minute, which a test does not wait for. */
async function askOwners(): Promise<void> {
  stage.advance(60_000);
  await stage.bot.runChore('sweep');
}

test('an operator exports all subscriptions as YAML, each in the words a member would type', async () => {
  const { code, stdout, stderr } = await subscriptions('export');

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(parse(stdout)).toEqual({
    team: stage.teamId,
    channels: {
      [stage.plans.id]: [
        {
          subscribe: `project ${project} only added in "Plans/**" digest daily 09:00 as "Tower: north"`,
          owner: stage.dana.id,
          zone: 'Europe/London',
        },
      ],
    },
  });
});

test('an export of one workspace contains nothing of another, and an unknown workspace is an error', async () => {
  await query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
       callback_token_hash, callback_base, state, created_at, changed_at)
     values ('T0OTHER', 'C0OTHER', 'U0OTHER', 'project', '111-222-333', true, '{"only":[],"paths":[],"by":[],"notBy":[]}',
       '{"when":"live"}', false, sha256('x'), 'https://bot.example', 'active', now(), now())`,
  );

  const all = await subscriptions('export');
  const one = await subscriptions('export', '--team', stage.teamId);
  const unknown = await subscriptions('export', '--team', 'T0NOBODY');

  expect(parseAllDocuments(all.stdout)).toHaveLength(2);
  expect(one.stdout).not.toContain('T0OTHER');
  expect(unknown).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There are no subscriptions in workspace T0NOBODY.\n',
  });
  await query(`delete from plancast.subscriptions where team_id = 'T0OTHER'`);
});

test('importing an unchanged export changes nothing', async () => {
  const { stdout } = await subscriptions('export');
  const { code, lines } = await subscriptions('import', await fileWith(stdout));

  expect(code).toBe(0);
  expect(lines).toEqual(['Nothing to import. 1 is already there.']);
  expect(await query('select 1 from plancast.imports')).toEqual([]);
});

test('a dry run says what each line would do and what to correct, and changes nothing', async () => {
  const { dana, plans, teamId } = stage;
  const file = await fileWith(`team: ${teamId}
channels:
  ${plans.id}:
    - subscribe: project ${project}
      owner: ${dana.id}
    - subscribe: session 731450286 digset hourly
      owner: ${dana.id}
    - subscribe: session 731-450-286
    - subscribe: session 731-450-286
      owner: ${dana.id}
    - subscribe: session 731-450-286 only deleted
      owner: ${dana.id}
  general:
    - project ${project}
  me:
    - subscribe: "project ${project}
`);

  const { code, lines, stderr } = await subscriptions('import', file, '--dry-run');

  expect(code).toBe(1);
  expect(lines).toEqual([
    `Line 4: project ${project} and its contents would change in ${plans.id}, for ${dana.id}.`,
    `Line 9: session 731-450-286 and its documents would be added to ${plans.id}, for ${dana.id}.`,
    'Adds 1 subscription and changes 1. 5 lines can’t be imported. Nothing was changed.',
  ]);
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringMatching(
      /^Line 6: I don’t understand digset .* Did you mean session 731-450-286 digest hourly\?$/,
    ),
    'Line 8: it has no owner. Add owner: U0123ABCD.',
    'Line 11: this is the same channel and resource as in line 9. Keep one of them.',
    expect.stringMatching(/^Line 13: general isn’t the id of a channel\./),
    'Line 16: a quotation mark isn’t closed. Put one at each end of the text.',
  ]);
  expect(await query('select 1 from plancast.imports')).toEqual([]);
});

test('an imported subscription waits for its owner: they are asked once in a direct message, and it is added when they agree', async () => {
  const { slack, dana, plans, teamId } = stage;
  const file = await fileWith(`team: ${teamId}
channels:
  ${plans.id}:
    - subscribe: session 731-450-286 only deleted
      owner: ${dana.id}
    - subscribe: project 999-999-999
      owner: ${dana.id}
`);

  const { code, lines } = await subscriptions('import', file);
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      'Adds 2 subscriptions. Waiting for the consent of 1 owner: the bot asks each in a direct message.',
    ],
  });
  expect(await query(`select 1 from plancast.subscriptions where parent_id = '731-450-286'`)).toEqual([]);

  await askOwners();
  await askOwners();
  const offer = await slack.waitForDirectMessage(dana, 'imported 2 subscriptions for you');
  expect(slack.directMessages(dana).filter(({ text }) => text.includes('imported 2'))).toHaveLength(1);
  await slack.click({ user: dana, message: offer, element: slack.button(offer, 'Add all 2') });
  await slack.waitForMessage(plans, ({ text }) => /Dana Reyes subscribed .* session 731-450-286/.test(text));
  // The service does not know this project yet; the other subscription is made anyway.
  await expect
    .poll(() => slack.textOf(offer))
    .toMatch(/Added 1 subscription\.\n1 subscription wasn’t added:\n.*999-999-999/);
  expect(await query(`select request #>> '{target,projectId}' as id from plancast.imports`)).toEqual([
    { id: '999-999-999' },
  ]);
  await query('delete from plancast.imports');
});

test('an owner who declines gets nothing, and one who is not linked links first and then gets everything', async () => {
  const { slack, sam, teamId } = stage;
  const file = await fileWith(`team: ${teamId}
channels:
  me:
    - subscribe: project 412-873-550
      owner: ${sam.id}
`);
  await subscriptions('import', file);
  await askOwners();
  const declined = await slack.waitForDirectMessage(sam, 'imported 1 subscription for you');
  await slack.click({ user: sam, message: declined, element: slack.button(declined, 'Decline') });
  await expect.poll(() => slack.textOf(declined)).toContain('Declined');
  expect(await query('select 1 from plancast.imports')).toEqual([]);

  await subscriptions('import', file);
  await askOwners();
  const offer = await slack.waitForDirectMessage(
    sam,
    ({ id, text }) => id !== declined.id && text.includes('imported 1'),
  );
  await slack.click({ user: sam, message: offer, element: slack.button(offer, 'Add') });
  const link = await slack.waitForEphemeral(sam, 'to continue. I’ll finish');
  await stage.linkInBrowser(String(slack.button(link, 'Link').element.url), 'sam@example.com');
  await slack.waitForDirectMessage(sam, ({ text }) => /subscribed .* project 412-873-550/i.test(text));
  await expect.poll(() => query('select 1 from plancast.imports')).toEqual([]);
});

test.each([
  [[]],
  [['export', 'T1']],
  [['export', '--team']],
  [['import']],
  [['import', 'a', 'b']],
  [['import', 'a', '--force']],
])('the arguments %j are refused', async (args) => {
  const { code, stdout, stderr } = await subscriptions(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: npm run subscriptions/);
});

test('a missing file is reported in one line', async () => {
  expect(await subscriptions('import', '/nowhere/x.yaml')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'There is no file /nowhere/x.yaml\n',
  });
});
