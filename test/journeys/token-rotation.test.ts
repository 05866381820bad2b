import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { headingOf, openBrowser } from '../support/installing-browser.ts';
import { type Stage, setStage } from '../support/stage.ts';

const hour = 3_600_000;
let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    name: 'token rotation',
    env: {
      SLACK_BOT_TOKEN: '',
      SLACK_CLIENT_ID: 'practice-client-id',
      SLACK_CLIENT_SECRET: 'practice-client-secret',
    },
  });
  stage.slack.app.tokenRotation = true;
});
afterEach(() => stage.slack.clearFaults());
afterAll(() => stage.close());

/** Installs the bot as its admin does. */
async function install(): Promise<void> {
  const browser = openBrowser();
  const back = stage.slack.allowInstall(await browser.start(stage.bot.publicUrl), { user: stage.dana });
  const shown = await browser.open(back);
  browser.close();
  expect(headingOf(shown)).toBe('Plancast is installed');
}

const refreshes = () => stage.slack.callsOf('oauth.v2.access').filter(({ args }) => 'grant_type' in args);
const published = () => stage.slack.callsOf('views.publish');

/** Lets people open the Home tab through one of the bot's processes, which publishes it with its token. */
async function openHomes(people: readonly User[], botUrl: string): Promise<void> {
  stage.slack.botRequestUrl = `${botUrl}/slack/events`;
  const opened = people.map((person) => stage.slack.openHome(person));
  await Promise.all(opened);
}

function somePeople(count: number): User[] {
  return Array.from({ length: count }, (_, index) =>
    stage.slack.addUser({ teamId: stage.teamId, name: `person-${index}` }),
  );
}

test('two processes with an expired workspace token refresh it once, even if Slack is slow, and no call uses the old one', async () => {
  // The processes use the machine's clock, so the bot is installed 13 hours in the past and its token has expired.
  stage.advance(-13 * hour);
  await install();
  stage.advance(13 * hour);
  const processes = await Promise.all([stage.startChild(), stage.startChild()]);
  const people = somePeople(20);
  stage.slack.fault({ method: 'oauth.v2.access', delayMs: 500, times: Number.POSITIVE_INFINITY });

  await Promise.all(
    processes.map((bot, index) => openHomes(people.slice(index * 10, index * 10 + 10), bot.publicUrl)),
  );

  await expect.poll(() => published().map(({ outcome }) => outcome)).toEqual(people.map(() => 'ok'));
  expect(refreshes()).toHaveLength(1);
  expect(stage.slack.violations).toEqual([]);
  const { pool } = stage.database.connect();
  const { rows } = await pool.query(`select key, value from plancast.keyv where key like '%installations%'`);
  expect(rows).toHaveLength(1);
  for (const secret of [stage.workspace.botToken, stage.workspace.rotation?.refreshToken ?? 'none']) {
    expect(JSON.stringify(rows)).not.toContain(secret);
  }
  // Most of this time is for starting two processes.
}, 60_000);

test('while a token is still valid and Slack refreshes nothing, the bot keeps using it, and refreshes later', async () => {
  await install();
  stage.advance(11 * hour);
  const before = refreshes().length;
  stage.slack.fault({ method: 'oauth.v2.access', status: 503, times: Number.POSITIVE_INFINITY });
  for (const person of somePeople(3)) await openHomes([person], stage.bot.publicUrl);
  expect(
    published()
      .slice(-3)
      .map(({ outcome }) => outcome),
  ).toEqual(['ok', 'ok', 'ok']);
  // Not one attempt for each person.
  expect(refreshes().length - before).toBe(1);

  stage.slack.clearFaults();
  stage.advance(2 * hour);
  await openHomes(somePeople(1), stage.bot.publicUrl);
  expect(published().at(-1)?.outcome).toBe('ok');
  expect(refreshes().length - before).toBe(2);
  expect(stage.slack.violations).toEqual([]);
});

test('I install again while a token is being refreshed: the new tokens stay', async () => {
  await install();
  stage.advance(13 * hour);
  stage.slack.fault({ method: 'oauth.v2.access', delayMs: 700 });
  const opening = openHomes(somePeople(1), stage.bot.publicUrl);
  await expect.poll(() => refreshes().at(-1)?.outcome).toBeUndefined();
  await install();
  await opening;

  stage.advance(11 * hour);
  await openHomes(somePeople(1), stage.bot.publicUrl);
  expect(published().at(-1)?.outcome).toBe('ok');
  expect(stage.slack.violations).toEqual([]);
});

test('without rotation no token is ever refreshed', async () => {
  stage.slack.app.tokenRotation = false;
  stage.workspace.tokenRefusal = 'account_inactive';
  await install();
  const before = refreshes().length;
  stage.advance(30 * 24 * hour);
  await openHomes(somePeople(1), stage.bot.publicUrl);
  expect(published().at(-1)?.outcome).toBe('ok');
  expect(refreshes().length).toBe(before);
});
