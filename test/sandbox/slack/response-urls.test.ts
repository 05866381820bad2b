import { expect, test } from 'vitest';
import { buttonOf, makeClock, sectionOf, startSlack, startStubBot } from './support.ts';

async function start() {
  const bot = await startStubBot();
  const clock = makeClock();
  const started = await startSlack({ botRequestUrl: bot.url, now: clock.now });
  const { dana, plans } = started.seed;
  const commanded = await started.slack.command({ user: dana, channel: plans, command: '/subscribe' });
  return { ...started, clock, commanded };
}

async function respond(url: string | undefined, body: Record<string, unknown>): Promise<[number, string]> {
  const response = await fetch(url ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [response.status, await response.text()];
}

test('a response URL works five times, on the origin of the Web API', async () => {
  const { slack, seed, commanded } = await start();
  const { responseUrl } = commanded;
  expect(new URL(responseUrl ?? '').origin).toBe(new URL(slack.apiUrl).origin);
  for (let use = 1; use <= 5; use += 1) expect((await respond(responseUrl, { text: `${use}` }))[0]).toBe(200);
  expect(await respond(responseUrl, { text: '6' })).toEqual([404, 'used_url']);
  expect(slack.ephemerals(seed.dana).map(({ text }) => text)).toEqual(['1', '2', '3', '4', '5']);
  expect(slack.violations).toMatchObject([{ kind: 'response-url' }]);
});

test('a response URL works for 30 minutes', async () => {
  const { clock, commanded } = await start();
  clock.pass(30 * 60_000);
  expect((await respond(commanded.responseUrl, { text: 'Hi' }))[0]).toBe(200);
  clock.pass(1);
  expect(await respond(commanded.responseUrl, { text: 'Hi' })).toEqual([404, 'expired_url']);
});

test('an unknown response URL is not found', async () => {
  const { slack } = await start();
  expect((await respond(`${slack.origin}/hooks/commands/T0/R0/guessed`, { text: 'Hi' }))[0]).toBe(404);
});

test('in_channel publishes, even where the bot is not a member', async () => {
  const { slack, seed } = await start();
  const commanded = await slack.command({
    user: seed.dana,
    channel: seed.privatePlans,
    command: '/subscribe',
  });
  await respond(commanded.responseUrl, { text: 'Subscribed', response_type: 'in_channel' });
  expect(slack.messages(seed.privatePlans)).toMatchObject([{ text: 'Subscribed', via: 'response_url' }]);
});

test('the original of a click is replaced or deleted', async () => {
  const { slack, seed, call } = await start();
  const blocks = [{ type: 'actions', elements: [buttonOf('More', 'more')] }];
  await call('chat.postMessage', { channel: seed.plans.id, text: 'Card', blocks });
  const message = await slack.waitForMessage(seed.plans, 'Card');
  const first = await slack.click({ user: seed.dana, message, actionId: 'more' });
  await respond(first.responseUrl, { text: 'Opened', blocks: [sectionOf('Opened')], replace_original: true });
  expect(slack.messages(seed.plans)).toMatchObject([
    { ts: message.ts, text: 'Opened', edits: [{ text: 'Card' }] },
  ]);
  await respond(first.responseUrl, { text: 'Aside' });
  expect(slack.ephemerals(seed.dana)).toMatchObject([{ text: 'Aside' }]);
  await respond(first.responseUrl, { delete_original: true });
  expect(slack.messages(seed.plans)).toEqual([]);
});

test('an ephemeral message stays ephemeral when it is replaced', async () => {
  const { slack, seed, commanded } = await start();
  const blocks = [{ type: 'actions', elements: [buttonOf('Yes', 'yes')] }];
  await respond(commanded.responseUrl, { text: 'Sure?', blocks });
  const message = await slack.waitForEphemeral(seed.dana, 'Sure?');
  const clicked = await slack.click({ user: seed.dana, message, actionId: 'yes' });
  await respond(clicked.responseUrl, { text: 'Done', response_type: 'in_channel', replace_original: true });
  expect(slack.ephemerals(seed.dana)).toMatchObject([{ text: 'Done', edits: [{ text: 'Sure?' }] }]);
  expect(slack.messages(seed.plans)).toEqual([]);
});

test('a command has no original to delete', async () => {
  const { commanded } = await start();
  expect((await respond(commanded.responseUrl, { delete_original: true }))[0]).toBe(404);
});

test.each([
  [{}, 'no_text'],
  [{ blocks: [{ type: 'sparkles' }] }, 'invalid_blocks'],
])('a response of %j is rejected with %s', async (body, error) => {
  const { commanded } = await start();
  expect(await respond(commanded.responseUrl, body)).toEqual([400, error]);
});
