import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'upkeep', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.type(stage.dana, '/subscribe project 412-873-550');
  await stage.slack.waitForMessage(stage.plans, 'added project 412-873-550 to this channel');
});
beforeEach(() => stage.service.settled());
afterAll(() => stage.close());

/** Adds a file with a name that is not used yet. */
function addFile(name: string): void {
  const file = { action: 'create-file', project: 'Harbour Tower', parent: 'Plans', name } as const;
  stage.service.act('sam@example.com', file);
}

const records = () => stage.service.subscriptions.ofUser('dana@example.com');

test('a subscription is deleted at the service: within the hour the channel gets notifications of the project again', async () => {
  for (const record of records()) stage.service.subscriptions.remove(record);
  addFile('Unheard.pdf');

  await stage.checkLinks();

  expect(records()).toHaveLength(1);
  addFile('Heard.pdf');
  const posted = await stage.slack.waitForMessage(stage.plans, 'Heard.pdf');
  expect(posted.text).not.toContain('Unheard.pdf');
});

test('Dana revokes her grant and links again: both are announced in the channel, then what arrived in between', async () => {
  stage.service.switches.set({ revocation: 'access tokens too' });
  stage.service.revoke('dana@example.com');
  await stage.checkLinks();
  await stage.slack.waitForMessage(stage.plans, 'is paused: Dana Reyes needs to link their account again.');
  addFile('Meanwhile.pdf');
  await stage.service.settled();

  await stage.link(stage.dana, 'dana@example.com');

  await stage.slack.waitForMessage(stage.plans, /Resumed: project.*While paused: 1 change.*Meanwhile\.pdf/s);
  addFile('Afterwards.pdf');
  await stage.slack.waitForMessage(stage.plans, 'Afterwards.pdf');
});

test('Dana loses access to the project, has it again and subscribes again: she resumes what is hers, with what was held', async () => {
  const { slack, service, dana, plans } = stage;
  const letDana = (permission: 'none' | 'write') => {
    const change = { action: 'set-permission', project: 'Harbour Tower', permission } as const;
    service.act('sam@example.com', { ...change, email: 'dana@example.com' });
  };
  const loseAccess = async () => {
    letDana('none');
    const [record] = records();
    if (!record) throw new Error('nothing is subscribed');
    service.subscriptions.remove(record);
    await stage.checkLinks();
    await expect.poll(() => slack.messages(plans).at(-1)?.text).toContain('no longer has access');
    return record.uri;
  };
  const subscribeAgain = async () => {
    letDana('write');
    await stage.type(dana, '/subscribe project 412-873-550');
    await expect.poll(() => slack.messages(plans).at(-1)?.text).toMatch(/Dana Reyes (resumed|took over)/);
    return slack.messages(plans).at(-1)?.text;
  };

  await loseAccess();
  expect(await subscribeAgain()).toMatch(
    /^Dana Reyes resumed the subscription to project [^.]*\. I don’t know what changed in the meantime\.$/,
  );

  await notify(await loseAccess(), { item: 'late', name: 'Sent late.pdf' });
  expect(await subscribeAgain()).toMatch(/^Dana Reyes resumed .*While paused: 1 change.*Sent late\.pdf/s);
});

test('Ravi signs in but never types his code: within a minute after it expires, the tokens are deleted', async () => {
  const { slack, ravi } = stage;
  const { pool } = stage.database.connect();
  const tokens = async () => {
    const { rows } = await pool.query<{ sealed_access_token: string | null }>(
      'select sealed_access_token from plancast.link_attempts where user_id = $1',
      [ravi.id],
    );
    return rows.map(({ sealed_access_token }) => sealed_access_token);
  };
  await stage.type(ravi, '/plancast link');
  const offer = await slack.waitForEphemeral(ravi, 'Link');
  await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'sam@example.com');
  await stage.bot.runChore('sweep');
  expect(await tokens()).toEqual([expect.any(String)]);

  stage.advance(5 * 60_000);
  await stage.bot.runChore('sweep');

  expect(await tokens()).toEqual([null]);
});

test('Slack shuts the bot out of the workspace for a while: nothing is lost, and posting resumes automatically', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'shut', '538-204-917');

  const shut = slack.fault({ error: 'invalid_auth', team: stage.teamId, times: Number.POSITIVE_INFINITY });
  await notify(uri, { item: 'a', name: 'Gate.pdf' });
  await expect.poll(() => pausedFor()).toContain('workspace access');
  await stage.bot.runChore('resume-workspaces');
  expect(await pausedFor()).toContain('workspace access');

  shut.clear();
  await stage.bot.runChore('resume-workspaces');
  await slack.waitForMessage(channel, 'Gate.pdf');
  expect(await pausedFor()).not.toContain('workspace access');
});

async function pausedFor(): Promise<string[]> {
  const { rows } = await stage.database
    .connect()
    .pool.query<{ reason: string }>(`select reason from plancast.subscriptions where state = 'paused'`);
  return rows.map(({ reason }) => reason);
}

test('when one kind of row cannot be deleted, names and emails are still deleted after their week', async () => {
  const { pool } = stage.database.connect();
  await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'canceling statement due to statement timeout'; end $$`);
  await pool.query(
    'create trigger refuse before delete on plancast.seen_requests for each statement execute function refuse()',
  );
  stage.advance(8 * 24 * 3_600_000);

  await stage.bot.runChore('tidy');

  const { rows } = await pool.query(
    `select count(*)::int as events, count(notification)::int as whole from plancast.events where state = 'posted'`,
  );
  expect(rows[0].events).toBeGreaterThan(0);
  expect(rows[0].whole).toBe(0);
});
