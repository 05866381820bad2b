import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeTenants } from '../support/tenants.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'upkeep', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
  await stage.type(stage.dana, '/subscribe project 412-873-550');
  await stage.slack.waitForMessage(stage.plans, 'added project 412-873-550 to this channel');
});
beforeEach(() => stage.service.settled());
afterAll(() => stage.close());

const records = () => stage.service.subscriptions.ofUser('dana@example.com');

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

test('a week after a change was posted, the address of who made it is nowhere in the database', async () => {
  const address = 'lee@example.com';
  const about = { item: 'theirs', name: 'Theirs.pdf', user: address, at: stage.now() };
  await notify(records()[0]?.uri ?? '', about);
  await stage.slack.waitForMessage(stage.plans, 'Theirs.pdf');
  const { rowsNaming } = makeTenants(() => stage);
  expect(await rowsNaming([address])).toMatchObject({ 'plancast.events': 1 });

  stage.advance(8 * 24 * 60 * 60_000);
  await stage.bot.runChore('tidy');

  expect(await rowsNaming([address])).toEqual({});
});
