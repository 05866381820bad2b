import { expect, test } from 'vitest';
import { buttonOf, type StubAnswer, sectionOf, startSlack, startStubBot, text } from './support.ts';

async function start(answer: StubAnswer = {}) {
  const bot = await startStubBot(() => answer);
  return { bot, ...(await startSlack({ botRequestUrl: bot.url })) };
}

test('a command is sent as a form with everything Slack sends', async () => {
  const { bot, slack, seed } = await start();
  const done = await slack.command({
    user: seed.dana,
    channel: seed.plans,
    command: '/subscribe',
    text: 'project 1',
  });
  expect(done.status).toBe(200);
  expect(bot.last().fields).toEqual({
    token: expect.any(String),
    team_id: 'T0NORTHWIND',
    team_domain: 'northwind',
    channel_id: seed.plans.id,
    channel_name: 'plans',
    user_id: seed.dana.id,
    user_name: 'dana',
    command: '/subscribe',
    text: 'project 1',
    api_app_id: 'A0PRACTICE',
    is_enterprise_install: 'false',
    response_url: done.responseUrl,
    trigger_id: done.triggerId,
  });
});

test.each([
  ['privatePlans', 'privategroup'],
  ['direct', 'directmessage'],
])('the name of %s is not revealed', async (where, expected) => {
  const { bot, slack, seed } = await start();
  const channel =
    where === 'direct'
      ? slack.addChannel({ kind: 'im', members: [seed.dana, seed.sam], botIn: false })
      : seed.privatePlans;
  await slack.command({ user: seed.dana, channel, command: '/subscriptions' });
  expect(bot.last().fields.channel_name).toBe(expected);
});

test('no command can be typed in the direct messages with the bot, which are read-only', async () => {
  const { slack, seed } = await start();
  const channel = slack.directChannel(seed.workspace.teamId, seed.dana);
  await expect(slack.command({ user: seed.dana, channel, command: '/subscriptions' })).rejects.toThrow(
    'turned off',
  );
});

test('a command from an organization names it, and its install for all workspaces', async () => {
  const { bot, slack } = await start();
  const { teamId } = slack.addWorkspace({ enterpriseId: 'E1', isEnterpriseInstall: true });
  const channel = slack.addChannel({ teamIds: [teamId] });
  await slack.command({ user: slack.addUser({ teamId }), channel, command: '/subscribe' });
  expect(bot.last().fields).toMatchObject({ enterprise_id: 'E1', is_enterprise_install: 'true' });
});

test('typed text is escaped as Slack does with should_escape', async () => {
  const { bot, slack, seed } = await start();
  const words = 'https://s.example/?a=1&b=2 by @dana in #plans not #private-plans or #none, R&D <x>';
  await slack.command({
    user: seed.dana,
    channel: seed.plans,
    command: '/subscribe',
    text: words,
    typed: true,
  });
  expect(bot.last().fields.text).toBe(
    `<https://s.example/?a=1&amp;b=2> by <@${seed.dana.id}|dana> in <#${seed.plans.id}|plans>` +
      ` not <#${seed.privatePlans.id}|> or #none, R&amp;D &lt;x&gt;`,
  );
});

test('the reply to a command is shown to the person alone, or to everyone', async () => {
  const alone = await start({ text: 'Just you' });
  await alone.slack.command({ user: alone.seed.dana, channel: alone.seed.plans, command: '/subscribe' });
  expect(alone.slack.ephemerals(alone.seed.dana)).toMatchObject([{ text: 'Just you', via: 'command' }]);
  expect(alone.slack.messages(alone.seed.plans)).toEqual([]);

  const all = await start({ json: { response_type: 'in_channel', text: 'All', blocks: [sectionOf('All')] } });
  await all.slack.command({ user: all.seed.dana, channel: all.seed.plans, command: '/subscribe' });
  expect(all.slack.messages(all.seed.plans)).toMatchObject([{ text: 'All' }]);
});

test('a reply that Slack cannot show is recorded', async () => {
  const { slack, seed } = await start({ json: { text: 'Hi', blocks: [{ type: 'sparkles' }] } });
  await slack.command({ user: seed.dana, channel: seed.plans, command: '/subscribe' });
  expect(slack.violations).toMatchObject([{ kind: 'answer' }]);
});

test('a bot that fails, is down or is late is reported by Slack itself', async () => {
  const failing = await start({ status: 500 });
  const { seed, slack } = failing;
  const base = { user: seed.dana, channel: seed.plans, command: '/subscribe' };
  expect(await slack.command(base)).toMatchObject({ status: 500 });
  slack.botRequestUrl = 'http://127.0.0.1:9/slack/events';
  expect(await slack.command(base)).toMatchObject({ status: 0, failure: 'dispatch_failed' });
  expect(slack.ephemerals(seed.dana).map(({ text: words, via }) => [via, words])).toEqual([
    ['slack', '/subscribe failed with the error "dispatch_failed"'],
    ['slack', '/subscribe failed with the error "dispatch_failed"'],
  ]);
  const never = new Promise<StubAnswer>(() => undefined);
  const asleep = await startStubBot(() => never);
  const impatient = await startSlack({ botRequestUrl: asleep.url, answerWithinMs: 50 });
  expect(await impatient.slack.command(base)).toMatchObject({ status: 0, failure: 'operation_timeout' });
});

test('a click carries the message, the button, a trigger and a response URL', async () => {
  const { bot, slack, seed, call } = await start();
  const blocks = [
    sectionOf('Card', { block_id: 'first', accessory: buttonOf('Remove', 'remove', { value: '1' }) }),
    sectionOf('Card', { block_id: 'second', accessory: buttonOf('Remove', 'remove', { value: '2' }) }),
  ];
  await call('chat.postMessage', { channel: seed.plans.id, text: 'Card', blocks });
  const message = await slack.waitForMessage(seed.plans, 'Card');
  const done = await slack.click({ user: seed.sam, message, actionId: 'remove', blockId: 'second' });
  expect(bot.last().payload).toMatchObject({
    type: 'block_actions',
    user: { id: seed.sam.id, team_id: 'T0NORTHWIND' },
    team: { id: 'T0NORTHWIND', domain: 'northwind' },
    container: { type: 'message', message_ts: message.ts, channel_id: seed.plans.id, is_ephemeral: false },
    channel: { id: seed.plans.id, name: 'plans' },
    message: { ts: message.ts, text: 'Card', bot_id: 'B0PLANCAST1' },
    actions: [{ type: 'button', action_id: 'remove', block_id: 'second', value: '2', text: text('Remove') }],
    trigger_id: done.triggerId,
    response_url: done.responseUrl,
  });
  const element = slack.button(message, 'Remove');
  await slack.click({ user: seed.sam, message, element, value: 'forged' });
  expect(bot.last().payload).toMatchObject({ actions: [{ block_id: 'first', value: 'forged' }] });
  await expect(slack.click({ user: seed.sam, message, actionId: 'gone' })).rejects.toThrow('Remove (remove)');
  expect(() => slack.button(message, 'gone')).toThrow('"Remove" (remove)');
});

test('a click on an ephemeral message comes without the message', async () => {
  const blocks = [{ type: 'actions', elements: [buttonOf('Yes', 'yes')] }];
  const { bot, slack, seed } = await start({ json: { text: 'Sure?', blocks } });
  await slack.command({ user: seed.dana, channel: seed.plans, command: '/unsubscribe' });
  const message = await slack.waitForEphemeral(seed.dana, 'Sure?');
  await slack.click({ user: seed.dana, message, actionId: 'Yes' });
  const { payload } = bot.last();
  expect(payload).toMatchObject({ container: { is_ephemeral: true }, actions: [{ action_id: 'yes' }] });
  expect(payload).not.toHaveProperty('message');
});

test('menus, checkboxes and pickers say what was chosen', async () => {
  const { bot, slack, seed, call } = await start();
  const options = ['a', 'b'].map((value) => ({ text: text(value.toUpperCase()), value }));
  const elements = [
    { type: 'overflow', action_id: 'menu', options },
    { type: 'static_select', action_id: 'one', options, initial_option: options[0] },
    { type: 'checkboxes', action_id: 'some', options },
    { type: 'datepicker', action_id: 'day' },
  ];
  await call('chat.postMessage', {
    channel: seed.plans.id,
    text: 'Card',
    blocks: [{ type: 'actions', elements }],
  });
  const message = await slack.waitForMessage(seed.plans, 'Card');
  const choose = async (actionId: string, value: unknown) => {
    await slack.click({ user: seed.dana, message, actionId, value });
    return bot.last().payload;
  };
  expect(await choose('menu', 'B')).toMatchObject({
    actions: [{ type: 'overflow', selected_option: options[1] }],
  });
  expect(await choose('one', 'b')).toMatchObject({ actions: [{ selected_option: options[1] }] });
  expect(await choose('some', ['a', 'b'])).toMatchObject({ actions: [{ selected_options: options }] });
  const picked = await choose('day', '2026-11-20');
  expect(picked).toMatchObject({ actions: [{ selected_date: '2026-11-20' }] });
  const [state] = Object.values((picked.state as { values: Record<string, unknown> }).values);
  expect(state).toMatchObject({ one: { selected_option: options[0] }, day: { selected_date: '2026-11-20' } });
  await expect(choose('one', 'z')).rejects.toThrow('no option "z"');
});

test('a click by a person of another workspace names that workspace', async () => {
  const { bot, slack, seed, call } = await start();
  const blocks = [{ type: 'actions', elements: [buttonOf('Go', 'go')] }];
  await call('chat.postMessage', { channel: seed.shared.id, text: 'Card', blocks });
  const message = await slack.waitForMessage(seed.shared, 'Card');
  await slack.click({ user: seed.stranger, message, actionId: 'go' });
  expect(bot.last().payload).toMatchObject({
    user: { id: seed.stranger.id, team_id: 'T0ELSEWHERE' },
    team: { id: 'T0NORTHWIND' },
  });
});

test('a click on the Home tab has a view and no channel', async () => {
  const { bot, slack, seed, call } = await start();
  const blocks = [{ type: 'actions', elements: [buttonOf('Refresh', 'refresh')] }];
  await call('views.publish', { user_id: seed.dana.id, view: { type: 'home', blocks } });
  const view = await slack.waitForHome(seed.dana, 'Refresh');
  await slack.click({ user: seed.dana, view, actionId: 'refresh' });
  const { payload } = bot.last();
  expect(payload).toMatchObject({ container: { type: 'view', view_id: view.id }, view: { type: 'home' } });
  for (const key of ['channel', 'message', 'response_url']) expect(payload).not.toHaveProperty(key);
});

test('shortcuts can be called from anywhere or from a message', async () => {
  const { bot, slack, seed, call } = await start();
  await slack.shortcut({ user: seed.dana, callbackId: 'manage' });
  expect(bot.last().payload).toMatchObject({
    type: 'shortcut',
    callback_id: 'manage',
    trigger_id: expect.any(String),
  });
  await call('chat.postMessage', { channel: seed.plans.id, text: 'Card' });
  const message = await slack.waitForMessage(seed.plans, 'Card');
  await slack.shortcut({ user: seed.dana, callbackId: 'explain', message });
  expect(bot.last().payload).toMatchObject({ type: 'message_action', message: { ts: message.ts } });
});

test('an event comes in its envelope, and again as a retry with the same id', async () => {
  const { bot, slack, seed } = await start();
  const sent = await slack.event({ type: 'channel_rename', channel: { id: seed.plans.id, name: 'x' } });
  const first = bot.last();
  expect(first.headers['content-type']).toBe('application/json');
  expect(first.headers).not.toHaveProperty('x-slack-retry-num');
  expect(first.fields).toMatchObject({
    type: 'event_callback',
    event_id: sent.eventId,
    team_id: 'T0NORTHWIND',
    event: { type: 'channel_rename', event_ts: expect.any(String) },
    authorizations: [{ team_id: 'T0NORTHWIND', user_id: 'U0PLANCAST1', is_bot: true }],
  });
  await sent.replay(1);
  const again = bot.last();
  expect(again.body).toBe(first.body);
  expect(again.headers).toMatchObject({ 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' });
  const other = await slack.event(
    { type: 'channel_deleted', channel: seed.plans.id },
    { eventId: 'EvFIXED' },
  );
  expect(other.eventId).toBe('EvFIXED');
});

test('events in the life of a channel change it and are sent', async () => {
  const { bot, slack, seed } = await start();
  const { privatePlans, plans, dana, workspace } = seed;
  await slack.inviteBot(privatePlans, dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'member_joined_channel', user: workspace.botUserId });
  expect(privatePlans.members).toContain(workspace.botUserId);
  await slack.removeBot(privatePlans, dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'group_left', actor_id: dana.id });
  expect(privatePlans.members).not.toContain(workspace.botUserId);
  await slack.archive(plans, dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'channel_archive', channel: plans.id });
  expect(plans.isArchived).toBe(true);
  await slack.unarchive(plans, dana);
  expect(plans.isArchived).toBe(false);
  await slack.openHome(dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'app_home_opened', tab: 'home', user: dana.id });
});

test('a channel is shared with another organization and within its own, and each change is sent', async () => {
  const { bot, slack, seed, call } = await start();
  const { plans } = seed;
  const info = async () => (await call('conversations.info', { channel: plans.id })).channel;
  await slack.shareChannel(plans, 'T0ELSEWHERE');
  expect(bot.last().fields.event).toMatchObject({ type: 'channel_shared', connected_team_id: 'T0ELSEWHERE' });
  expect(await info()).toMatchObject({ is_ext_shared: true, is_org_shared: false });
  await slack.unshareChannel(plans, 'T0ELSEWHERE');
  expect(bot.last().fields.event).toMatchObject({
    type: 'channel_unshared',
    previously_connected_team_id: 'T0ELSEWHERE',
    is_ext_shared: false,
  });
  expect(await info()).toMatchObject({ is_ext_shared: false });

  const first = slack.addWorkspace({ enterpriseId: 'E0ONE' });
  const second = slack.addWorkspace({ enterpriseId: 'E0ONE' });
  const inside = slack.addChannel({ teamIds: [first.teamId] });
  await slack.shareChannel(inside, second.teamId);
  expect(inside).toMatchObject({ isOrgShared: true, isExtShared: false });
});

test('a deleted channel is gone, and the event is sent', async () => {
  const { bot, slack, seed, call } = await start();
  const { plans, privatePlans, dana } = seed;
  await slack.deleteChannel(plans, dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'channel_deleted', channel: plans.id });
  expect((await call('conversations.info', { channel: plans.id })).error).toBe('channel_not_found');
  await slack.deleteChannel(privatePlans, dana);
  expect(bot.last().fields.event).toMatchObject({ type: 'group_deleted', actor_id: dana.id });
});

test('an uninstall invalidates the token and sends two events, in either order, without authorizations', async () => {
  const { bot, slack, seed, call } = await start();
  await slack.uninstall(seed.workspace.teamId, { first: 'app_uninstalled' });
  const types = bot.received.map(({ fields }) => (fields.event as { type: string }).type);
  expect(types).toEqual(['app_uninstalled', 'tokens_revoked']);
  expect(bot.last().fields).not.toHaveProperty('authorizations');
  expect(bot.last().fields.event).toMatchObject({ tokens: { bot: [seed.workspace.botUserId] } });
  expect((await call('auth.test')).error).toBe('account_inactive');
});

test('an organization that uninstalls invalidates the token for all of its workspaces', async () => {
  const { slack, call } = await start();
  const org = { enterpriseId: 'E1', isEnterpriseInstall: true, botToken: 'xoxb-org' };
  const [one, two] = [slack.addWorkspace(org), slack.addWorkspace(org)];
  await slack.uninstall(two.teamId);
  expect([one.tokenRefusal, two.tokenRefusal]).toEqual(['account_inactive', 'account_inactive']);
  expect((await call('auth.test', {}, org.botToken)).error).toBe('account_inactive');
});

test('an organization removes the app from a workspace, and restores it: the app gets the events, and cannot post meanwhile', async () => {
  const { bot, slack, call } = await start();
  const org = { enterpriseId: 'E1', isEnterpriseInstall: true, botToken: 'xoxb-org' };
  const [one, two] = [slack.addWorkspace(org), slack.addWorkspace(org)];
  const channel = slack.addChannel({ teamIds: [one.teamId] });
  const post = () => call('chat.postMessage', { channel: channel.id, text: 'Hello' }, org.botToken);
  const listed = async () => {
    const { teams } = await call('auth.teams.list', {}, org.botToken);
    return (teams as { id: string }[]).map(({ id }) => id);
  };
  await slack.revokeAccess(one.teamId);
  expect(bot.last().fields).toMatchObject({
    event: { type: 'team_access_revoked', team_ids: [one.teamId] },
    authorizations: [{ enterprise_id: 'E1', is_enterprise_install: true }],
  });
  expect(await post()).toMatchObject({ error: 'team_access_not_granted' });
  expect(await listed()).toEqual([two.teamId]);
  await slack.grantAccess(one.teamId);
  expect(bot.last().fields.event).toMatchObject({ type: 'team_access_granted', team_ids: [one.teamId] });
  expect(await post()).toMatchObject({ ok: true });
  expect(await listed()).toEqual([one.teamId, two.teamId]);
});

test('Slack checks the URL and the certificate', async () => {
  const { bot, slack } = await start({ json: { challenge: 'abc' } });
  expect(await slack.urlVerification('abc')).toMatchObject({ json: { challenge: 'abc' } });
  expect(bot.last().fields).toMatchObject({ type: 'url_verification', challenge: 'abc' });
  await slack.sslCheck({ signature: null });
  expect(bot.last().fields).toMatchObject({ ssl_check: '1' });
  expect(bot.last().headers).not.toHaveProperty('x-slack-signature');
});

test('waiting for something that never comes reports what there is instead', async () => {
  const { slack, seed, call } = await start();
  await call('chat.postMessage', { channel: seed.plans.id, text: 'Something else' });
  await expect(slack.waitForMessage(seed.plans, 'Hello', 20)).rejects.toThrow(/Hello[\s\S]*Something else/);
  await expect(slack.waitForView(seed.dana, 'Form', 20)).rejects.toThrow('sees no such modal');
});

test('waiting also sees later messages and edits', async () => {
  const { slack, seed, call } = await start();
  const waiting = slack.waitForMessage(seed.plans, /two/i);
  const { ts } = await call('chat.postMessage', { channel: seed.plans.id, text: 'One' });
  await call('chat.update', { channel: seed.plans.id, ts, text: 'Two' });
  expect(await waiting).toMatchObject({ ts, text: 'Two' });
});
