import { expect, test } from 'vitest';
import { buttonOf, inputOf, modalOf, type StubAnswer, startSlack, startStubBot } from './support.ts';

async function start(options = {}) {
  let answer: StubAnswer = {};
  const bot = await startStubBot(() => answer);
  const started = await startSlack({ botRequestUrl: bot.url, ...options });
  const { slack } = started;
  const post = async (act: string, body: unknown) => {
    const response = await fetch(`${slack.origin}/practice/${act}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const look = async (user: { id: string }, channel: { id: string }) => {
    const response = await fetch(`${slack.origin}/practice/state?channel=${channel.id}&user=${user.id}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const answerWith = (next: StubAnswer) => {
    answer = next;
  };
  return { bot, ...started, post, look, answerWith };
}

test('a person sees the channel, and only their own ephemeral messages', async () => {
  const { seed, call, look, post, answerWith } = await start();
  const { dana, sam, plans } = seed;
  await call('chat.postMessage', { channel: plans.id, text: 'For all' });
  answerWith({ text: 'For Dana' });
  const line = '/subscribe project 1';
  expect(await post('command', { user: dana.id, channel: plans.id, line })).toMatchObject({
    body: { status: 200 },
  });
  expect(await look(dana, plans)).toMatchObject({
    channel: { name: 'plans', botIn: true },
    messages: [{ text: 'For all', ephemeral: false, author: { name: 'Plancast' } }],
    ephemerals: [{ text: 'For Dana', ephemeral: true }],
    views: [],
    home: null,
  });
  expect(await look(sam, plans)).toMatchObject({ messages: [{ text: 'For all' }], ephemerals: [] });
});

test('a private channel is hidden from people who are not in it', async () => {
  const { slack, seed, call, look } = await start();
  seed.privatePlans.members.add(seed.workspace.botUserId);
  await call('chat.postMessage', { channel: seed.privatePlans.id, text: 'Secret' });
  const state = await look(seed.ravi, seed.privatePlans);
  expect(state).toMatchObject({ channel: null, messages: [] });
  expect(JSON.stringify(state)).not.toContain('private-plans');
  expect(JSON.stringify(state)).not.toContain(slack.workspaces.get('T0NORTHWIND')?.botToken);
});

test('a typed line goes to the bot signed, as its command and text', async () => {
  const { seed, bot, post } = await start();
  await post('command', { user: seed.sam.id, channel: seed.plans.id, line: '/subscribe by @dana' });
  expect(bot.last().fields).toMatchObject({ command: '/subscribe', text: `by <@${seed.dana.id}|dana>` });
  expect(bot.last().headers['x-slack-signature']).toMatch(/^v0=/);
});

test('a command that the app has not registered is answered by Slack alone', async () => {
  const { seed, bot, post, look } = await start({ commands: ['/subscribe'] });
  const { dana, plans } = seed;
  await post('command', { user: dana.id, channel: plans.id, line: '/mute 2h' });
  expect(await look(dana, plans)).toMatchObject({
    ephemerals: [{ text: expect.stringMatching(/^\/mute is not a valid command\./) }],
  });
  expect(bot.received).toEqual([]);
  await post('command', { user: dana.id, channel: plans.id, line: '/subscribe project 1' });
  expect(bot.last().fields).toMatchObject({ command: '/subscribe' });
});

test('clicks, suggestions, submissions and closing work by id', async () => {
  const { slack, seed, bot, call, post, look, answerWith } = await start();
  const { dana, plans } = seed;
  const blocks = [{ type: 'actions', elements: [buttonOf('Edit', 'edit')] }];
  const { ts } = await call('chat.postMessage', { channel: plans.id, text: 'Card', blocks });
  await post('click', { user: dana.id, channel: plans.id, ts, actionId: 'edit' });
  const { trigger_id } = bot.last().payload;
  const view = modalOf('Edit', [
    inputOf('p', { type: 'external_select', action_id: 'p_a' }),
    inputOf('n', { type: 'plain_text_input', action_id: 'n_a' }),
  ]);
  await call('views.open', { trigger_id, view });
  const state = await look(dana, plans);
  expect(state).toMatchObject({
    views: [{ title: { text: 'Edit' }, values: { n: { n_a: { value: null } } } }],
  });
  const [{ id: viewId }] = state.views as [{ id: string }];
  const options = [{ text: { type: 'plain_text', text: 'Apollo' }, value: 'p1' }];
  answerWith({ json: { options } });
  const suggested = await post('suggest', { user: dana.id, viewId, actionId: 'p_a', value: 'ap' });
  expect(suggested.body).toMatchObject({ options });
  answerWith({});
  const early = await post('submit', { user: dana.id, viewId, values: { p: 'p1' } });
  expect(early).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining('n_a must be filled in') },
  });
  const sent = await post('submit', { user: dana.id, viewId, values: { p: 'p1', n: 'Hi' } });
  expect(sent.body).toMatchObject({ outcome: 'closed' });
  expect(bot.last().payload).toMatchObject({ type: 'view_submission' });
  expect(slack.openViews(dana)).toEqual([]);
  expect(await post('close', { user: dana.id, viewId })).toMatchObject({ status: 422 });
});

test('the Home tab can be opened and the bot invited', async () => {
  const { seed, bot, post } = await start();
  await post('home', { user: seed.dana.id });
  expect(bot.last().fields.event).toMatchObject({ type: 'app_home_opened' });
  await post('invite', { user: seed.dana.id, channel: seed.privatePlans.id });
  expect(seed.privatePlans.members).toContain(seed.workspace.botUserId);
});

test('an unknown target is reported, and a request that is not JSON does nothing', async () => {
  const { slack, bot, post } = await start();
  expect(await post('dance', {})).toMatchObject({ status: 404 });
  expect(await post('click', { user: 'U1', messageId: 'none', actionId: 'a' })).toMatchObject({
    status: 422,
  });
  const form = await fetch(`${slack.origin}/practice/home`, {
    method: 'POST',
    body: new URLSearchParams({ user: 'U0DANA00001' }),
  });
  expect(form.status).toBe(422);
  expect(bot.received).toEqual([]);
});

test('the stream reports every change', async () => {
  const { slack, seed, call } = await start();
  const response = await fetch(`${slack.origin}/practice/stream`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = await reader?.read();
  expect(first?.value).toMatch(/^event: changed\ndata: \d+\n\n$/);
  await call('chat.postMessage', { channel: seed.plans.id, text: 'Hi' });
  const second = await reader?.read();
  expect(second?.value).toMatch(/^event: changed/);
  await reader?.cancel();
});

test('another origin can read only if it was named', async () => {
  const closed = await start();
  const silent = await fetch(`${closed.slack.origin}/practice/state`);
  expect(silent.headers.get('access-control-allow-origin')).toBeNull();
  const open = await start({ pageOrigin: 'http://127.0.0.1:4000' });
  const asked = await fetch(`${open.slack.origin}/practice/command`, { method: 'OPTIONS' });
  expect(asked.status).toBe(204);
  expect(asked.headers.get('access-control-allow-origin')).toBe('http://127.0.0.1:4000');
});
