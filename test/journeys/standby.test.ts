import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import type { Message } from '../../sandbox/slack/messages.ts';
import { dayMs, hourMs, minuteMs } from '../../src/lib/durations.ts';
import { environment, runCommand } from '../commands/run-command.ts';
import type { TestBot } from '../support/bot.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

const chores = [
  'departures',
  'unlinkings',
  'find-lost-uninstalls',
  'sweep',
  'tidy',
  'tidy-items',
  'resume-workspaces',
  'resume-restricted',
  'reconcile',
];
const newDomain = 'http://localhost:3000';
const sentence = 'I’m not working yet: your Plancast admin still has to run `npm run take-over`.';

let stage: Stage;
let oldDomain: string;
/** Started with the new domain. */
let bot: TestBot;
let channel: Channel;
let callback: string;
let list: Message;
const warnings: string[] = [];
beforeAll(async () => {
  stage = await setStage({ name: 'standby', bot: false });
  const before = await stage.addBot();
  oldDomain = before.publicUrl;
  await stage.link(stage.dana, 'dana@example.com');
  const made = await followed(stage);
  channel = made.channel;
  callback = new URL(made.uri).pathname;
  await stage.type(stage.dana, '/subscriptions', channel);
  list = await stage.slack.waitForEphemeral(stage.dana, ({ blocks }) =>
    JSON.stringify(blocks).includes('Remove'),
  );
  await stage.type(stage.dana, '/subscribe', channel);
  await stage.slack.waitForView(stage.dana, () => true);
  await before.stop();
  bot = await start(newDomain);
});
afterAll(() => stage.close());

const start = (publicUrl: string) =>
  stage.addBot({
    checkEveryMs: 20,
    env: { PUBLIC_URL: publicUrl, METRICS_PORT: '9464' },
    onLog: (line) => line.includes('"warn"') && warnings.push(line),
  });
const takeOver = (publicUrl: string) =>
  runCommand('src/commands/take-over.ts', [], {
    ...environment,
    DATABASE_URL: stage.database.url,
    PUBLIC_URL: publicUrl,
  });
const readiness = async (of: TestBot) => (await fetch(`${of.publicUrl}/readyz`)).status;
const remotes = () => stage.service.subscriptions.all().map(({ id, uri }) => [id, new URL(uri).origin]);

test('an operator changes PUBLIC_URL: for a day, the bot does nothing at the service, in Slack or to tokens, and keeps what the service sends', async () => {
  const { service, slack } = stage;
  const before = {
    remotes: remotes(),
    requests: service.log.of('request').length,
    calls: slack.calls.length,
  };
  const [one] = warnings;

  for (const passed of [10 * minuteMs, hourMs, dayMs]) {
    stage.advance(passed);
    for (const chore of chores) await bot.runChore(chore);
  }
  const taken = await notify(`${bot.publicUrl}${callback}`, {
    item: 'm',
    name: 'Meanwhile.pdf',
    at: stage.now(),
  });

  expect(taken).toBe(200);
  expect({
    remotes: remotes(),
    requests: service.log.of('request').length,
    calls: slack.calls.length,
  }).toEqual(before);
  expect(await readiness(bot)).toBe(503);
  expect(await bot.metrics().text()).toContain('plancast_notifications_total{result="stored"} 1');
  expect(warnings).toEqual([one]);
  expect(JSON.parse(one ?? '')).toMatchObject({
    serves: oldDomain,
    address: newDomain,
    msg: 'standing by: the database serves another address than PUBLIC_URL; `npm run take-over` ends that',
  });
});

test('meanwhile, each command, press and form is answered with the same sentence, and Slack keeps its events', async () => {
  const { slack, dana } = stage;
  const answers = () => slack.ephemerals(dana).filter(({ text }) => text === sentence).length;
  const calls = slack.calls.length;

  await stage.type(dana, '/subscribe project 538-204-917', channel);
  await expect.poll(answers).toBe(1);
  await slack.click({ user: dana, message: list, element: slack.button(list, 'Remove') });
  await expect.poll(answers).toBe(2);
  const form = await slack.submitView({ user: dana, force: true });
  const left = await slack.event({ type: 'channel_left', channel: channel.id });

  expect(Object.values(form.errors)).toEqual([sentence]);
  expect(left.status).toBe(503);
  expect((await slack.urlVerification('is it you')).body).toContain('is it you');
  expect(
    (await slack.command({ user: dana, channel, command: '/plancast', tamper: { signature: 'v0=00' } }))
      .status,
  ).toBe(401);
  expect(slack.calls.slice(calls).map(({ method }) => method)).toEqual(['response_url', 'response_url']);
});

test('meanwhile, a browser that comes back from a sign-in gets a page whose address has neither code nor state', async () => {
  const page = await fetch(`${bot.publicUrl}/oauth/callback?code=secret&state=secret`, {
    redirect: 'manual',
  });
  const shown = await fetch(`${bot.publicUrl}/linked`);

  expect([page.status, page.headers.get('location')]).toEqual([303, `${newDomain}/linked`]);
  expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, '60']);
  expect(await shown.text()).toContain('Not in service yet');
});

test('the operator runs npm run take-over: the running bot replaces its remote subscriptions and posts what it kept', async () => {
  const { code, lines } = await takeOver(newDomain);

  expect(code).toBe(0);
  expect(lines[0]).toBe(
    `Until now, the database serves ${oldDomain}, and PUBLIC_URL is ${newDomain}. From now on, it serves ${newDomain}.`,
  );
  await expect.poll(() => readiness(bot)).toBe(200);
  await stage.slack.waitForMessage(channel, 'Meanwhile.pdf');
  await expect.poll(remotes).toEqual([[expect.any(Number), newDomain]]);
  expect((await takeOver(newDomain)).lines).toEqual([`The database serves ${newDomain} already.`]);
});

test('the operator goes back to the old domain beside the running bot: that one stands by, and the other continues', async () => {
  const other = await start(oldDomain);
  const before = await readiness(other);

  await takeOver(oldDomain);

  expect(before).toBe(503);
  await expect.poll(() => readiness(bot)).toBe(503);
  await expect.poll(() => readiness(other)).toBe(200);
  await expect.poll(remotes).toEqual([[expect.any(Number), oldDomain]]);
  await notify(`${other.publicUrl}${new URL(stage.service.subscriptions.all()[0]?.uri ?? '').pathname}`, {
    item: 'b',
    name: 'Back.pdf',
    at: stage.now(),
  });
  await stage.slack.waitForMessage(channel, 'Back.pdf');
});
