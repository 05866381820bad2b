import { expect, test } from 'vitest';
import { sectionOf, startSlack } from './support.ts';

test('a token is checked before anything else', async () => {
  const { slack, seed, call } = await startSlack();
  expect(await call('auth.test')).toMatchObject({
    ok: true,
    team_id: seed.workspace.teamId,
    bot_id: 'B0PLANCAST1',
  });
  expect(await call('auth.test', {}, 'xoxb-wrong')).toMatchObject({ ok: false, error: 'invalid_auth' });
  seed.workspace.tokenRefusal = 'account_inactive';
  expect(await call('auth.test')).toMatchObject({ ok: false, error: 'account_inactive' });
  const unsigned = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' });
  expect(await unsigned.json()).toEqual({ ok: false, error: 'not_authed' });
});

test('a missing scope is named', async () => {
  const { seed, call } = await startSlack();
  seed.workspace.botScopes = ['commands'];
  expect(await call('chat.postMessage', { channel: seed.plans.id, text: 'Hi' })).toEqual({
    ok: false,
    error: 'missing_scope',
    needed: 'chat:write',
    provided: 'commands',
  });
});

test("one workspace's token reaches nothing of another", async () => {
  const { slack, seed, call } = await startSlack();
  const other = slack.addWorkspace({ name: 'Other' });
  const theirs = slack.addChannel({ name: 'theirs', teamIds: [other.teamId] });
  expect(await call('chat.postMessage', { channel: theirs.id, text: 'Hi' })).toMatchObject({
    error: 'channel_not_found',
  });
  expect(await call('chat.postMessage', { channel: theirs.id, text: 'Hi' }, other.botToken)).toMatchObject({
    ok: true,
  });
  expect(slack.callsOf('chat.postMessage').map(({ teamId }) => teamId)).toEqual([
    seed.workspace.teamId,
    other.teamId,
  ]);
});

test("an organization's token reaches all its workspaces", async () => {
  const { slack, call } = await startSlack();
  const org = { enterpriseId: 'E1', isEnterpriseInstall: true, botToken: 'xoxb-org', botUserId: 'W0BOT' };
  const first = slack.addWorkspace({ name: 'First', ...org });
  const second = slack.addWorkspace({ name: 'Second', ...org });
  const channel = slack.addChannel({ teamIds: [second.teamId] });
  expect(await call('chat.postMessage', { channel: channel.id, text: 'Hi' }, 'xoxb-org')).toMatchObject({
    ok: true,
  });
  expect(slack.messages(channel)).toMatchObject([{ teamId: second.teamId }]);
  expect(await call('auth.test', { team_id: first.teamId }, 'xoxb-org')).toMatchObject({
    team_id: first.teamId,
    enterprise_id: 'E1',
    is_enterprise_install: true,
  });
});

test('the mentions that a message would trigger are on its log entry', async () => {
  const { slack, seed, call } = await startSlack();
  await call('chat.postMessage', {
    channel: seed.plans.id,
    text: 'by <!channel>',
    blocks: [sectionOf('ask @dana')],
  });
  expect(slack.messages(seed.plans)[0]?.mentions).toEqual([
    { kind: 'broadcast', id: 'channel', auto: false, where: '/text' },
    { kind: 'user', id: seed.dana.id, auto: true, where: '/blocks/0/text' },
  ]);
});

test('where the bot can post depends on the channel', async () => {
  const { slack, seed, call } = await startSlack();
  const post = async (channel: string, more = {}) =>
    (await call('chat.postMessage', { channel, text: 'Hi', ...more })).error;
  expect(await post(seed.privatePlans.id)).toBe('channel_not_found');
  expect(await post('C0NOWHERE')).toBe('channel_not_found');
  expect(await post(seed.archived.id)).toBe('is_archived');
  expect(await post(seed.announcements.id)).toBe('restricted_action_read_only_channel');
  const threads = slack.addChannel({ isThreadOnly: true });
  expect(await post(threads.id)).toBe('restricted_action_thread_only_channel');
  const flat = slack.addChannel({ isNonThreadable: true });
  expect(await post(flat.id, { thread_ts: '1.2' })).toBe('restricted_action_non_threadable_channel');
  expect(await post(seed.lobby.id)).toBeUndefined();
  seed.workspace.botScopes = seed.workspace.botScopes.filter((scope) => scope !== 'chat:write.public');
  expect(await post(seed.lobby.id)).toBe('not_in_channel');
  const between = slack.addChannel({ kind: 'im', members: [seed.dana, seed.sam], botIn: false });
  expect(await post(between.id)).toBe('channel_not_found');
});

test('a reply needs its parent', async () => {
  const { slack, seed, call } = await startSlack();
  const channel = seed.plans.id;
  const parent = await call('chat.postMessage', { channel, text: 'One' });
  const reply = await call('chat.postMessage', { channel, text: 'Two', thread_ts: parent.ts });
  expect(reply.ok).toBe(true);
  expect(slack.messages(channel)).toMatchObject([{ threadTs: undefined }, { threadTs: parent.ts }]);
  const lost = await call('chat.postMessage', { channel, text: 'Three', thread_ts: '1.000000' });
  expect(lost.error).toBe('thread_not_found');
});

test('blocks that Slack rejects are rejected with their location, and recorded', async () => {
  const { slack, seed, call } = await startSlack();
  const blocks = [sectionOf('x'.repeat(3001))];
  expect(await call('chat.postMessage', { channel: seed.plans.id, text: 'Hi', blocks })).toMatchObject({
    error: 'invalid_blocks',
    response_metadata: { messages: [expect.stringContaining('/blocks/0/text/text')] },
  });
  expect(slack.violations).toMatchObject([{ kind: 'blocks', method: 'chat.postMessage' }]);
  expect(slack.messages(seed.plans)).toEqual([]);
});

test.each([
  ['blocks that are not JSON', { blocks: '[{' }, 'invalid_blocks_format'],
  ['metadata without a type', { text: 'Hi', metadata: { event_payload: {} } }, 'invalid_metadata_format'],
  ['an empty message', {}, 'no_text'],
  ['markdown and text', { text: 'Hi', markdown_text: '# Hi' }, 'markdown_text_conflict'],
  ['101 attachments', { text: 'Hi', attachments: Array(101).fill({ text: 'a' }) }, 'too_many_attachments'],
])('chat.postMessage rejects %s', async (_name, args, error) => {
  const { seed, call } = await startSlack();
  expect(await call('chat.postMessage', { channel: seed.plans.id, ...args })).toMatchObject({
    ok: false,
    error,
  });
});

test('text over 4,000 characters is recorded, and cut at 40,000', async () => {
  const { slack, seed, call } = await startSlack();
  await call('chat.postMessage', { channel: seed.plans.id, text: 'x'.repeat(40_001) });
  expect(slack.violations).toMatchObject([{ kind: 'text-too-long' }]);
  expect(slack.messages(seed.plans)[0]?.text).toHaveLength(40_000);
});

test('an update of an unknown message, or with more than 4,000 characters, is rejected', async () => {
  const { seed, call } = await startSlack();
  const channel = seed.plans.id;
  expect((await call('chat.update', { channel, ts: '1.0', text: 'Hi' })).error).toBe('message_not_found');
  const { ts } = await call('chat.postMessage', { channel, text: 'One' });
  expect((await call('chat.update', { channel, ts, text: 'x'.repeat(4001) })).error).toBe('msg_too_long');
});

test('an ephemeral message is visible to one person, who must be in the channel, as must the bot', async () => {
  const { slack, seed, call } = await startSlack();
  const args = { channel: seed.plans.id, user: seed.dana.id, text: 'Only you' };
  expect(await call('chat.postEphemeral', args)).toMatchObject({ ok: true, message_ts: expect.any(String) });
  expect(slack.ephemerals(seed.dana)).toMatchObject([{ text: 'Only you', via: 'chat.postEphemeral' }]);
  expect(slack.ephemerals(seed.sam)).toEqual([]);
  expect(slack.messages(seed.plans)).toEqual([]);
  const stranger = await call('chat.postEphemeral', { ...args, user: seed.stranger.id });
  expect(stranger.error).toBe('user_not_in_channel');
  expect((await call('chat.postEphemeral', { ...args, channel: seed.lobby.id })).error).toBe(
    'not_in_channel',
  );
});

test('a workspace that does not support tables yet rejects a message and a Home tab with one, and accepts both without', async () => {
  const { slack, seed, call } = await startSlack();
  const { workspace, plans, dana } = seed;
  const cell = (text: string) => ({ type: 'raw_text', text });
  const rows = [[cell('Folder')], [cell('Level 1')]];
  const table = { type: 'data_table', caption: 'Changes', rows };
  const post = (blocks: unknown[]) =>
    call('chat.postMessage', { channel: plans.id, text: 'Changes', blocks });
  const publish = (blocks: unknown[]) =>
    call('views.publish', { user_id: dana.id, view: { type: 'home', blocks } });
  expect([await post([table]), await publish([table])]).toMatchObject([{ ok: true }, { ok: true }]);
  workspace.refusedBlocks = ['data_table'];
  for (const answer of [await post([table]), await publish([sectionOf('Hi'), table])]) {
    expect(answer).toMatchObject({ ok: false, error: 'invalid_blocks' });
  }
  expect([await post([sectionOf('Hi')]), await publish([sectionOf('Hi')])]).toMatchObject([
    { ok: true },
    { ok: true },
  ]);
  // Not an offense, because the bot cannot know before it has tried.
  expect(slack.violations).toEqual([]);
});
