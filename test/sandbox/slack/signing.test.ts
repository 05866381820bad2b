import { expect, test } from 'vitest';
import { sign } from '../../../sandbox/slack/sign.ts';
import { makeClock, SIGNING_SECRET, startSlack, startStubBot } from './support.ts';

/** Slack's own example (docs: verifying requests from Slack). */
const EXAMPLE_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
const EXAMPLE_SIGNATURE = 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503';

test("Slack's own example gets Slack's own signature", () => {
  const signature = sign({ signingSecret: SIGNING_SECRET, timestamp: '1531420618', body: EXAMPLE_BODY });
  expect(signature).toBe(EXAMPLE_SIGNATURE);
});

test('the example sent over HTTP arrives byte for byte, signed, with the bare content type', async () => {
  const bot = await startStubBot();
  const clock = makeClock(1_531_420_618_000);
  const { slack } = await startSlack({ botRequestUrl: bot.url, now: clock.now });
  await slack.sendRaw({ contentType: 'application/x-www-form-urlencoded', body: EXAMPLE_BODY });
  const { body, headers } = bot.last();
  expect(body).toBe(EXAMPLE_BODY);
  expect(headers['x-slack-signature']).toBe(EXAMPLE_SIGNATURE);
  expect(headers['x-slack-request-timestamp']).toBe('1531420618');
  expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(headers['user-agent']).toMatch(/^Slackbot/);
});

test('an attacker can be simulated: an old timestamp, a wrong or missing signature, a body changed after signing', async () => {
  const bot = await startStubBot();
  const clock = makeClock();
  const { slack, seed } = await startSlack({ botRequestUrl: bot.url, now: clock.now });
  const base = { user: seed.dana, channel: seed.plans, command: '/subscribe' };

  await slack.command({ ...base, tamper: { timestamp: 1000 } });
  const old = bot.last();
  expect(old.headers['x-slack-request-timestamp']).toBe('1000');
  const signedThen = sign({ signingSecret: SIGNING_SECRET, timestamp: 1000, body: old.body });
  expect(old.headers['x-slack-signature']).toBe(signedThen);

  await slack.command({ ...base, tamper: { signature: null } });
  expect(bot.last().headers['x-slack-signature']).toBeUndefined();

  await slack.command({ ...base, tamper: { signature: 'v0=00' } });
  expect(bot.last().headers['x-slack-signature']).toBe('v0=00');

  await slack.command({ ...base, tamper: { body: 'command=%2Fother', contentType: 'text/plain' } });
  const changed = bot.last();
  expect(changed.body).toBe('command=%2Fother');
  expect(changed.headers['content-type']).toBe('text/plain');
  const timestamp = Math.floor(clock.now() / 1000);
  const signedNow = sign({ signingSecret: SIGNING_SECRET, timestamp, body: changed.body });
  expect(changed.headers['x-slack-signature']).not.toBe(signedNow);
});
