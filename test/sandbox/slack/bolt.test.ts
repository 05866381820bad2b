import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, ExpressReceiver, LogLevel, MemoryInstallationStore } from '@slack/bolt';
import { expect, onTestFinished, test } from 'vitest';
import { buttonOf, inputOf, modalOf, SIGNING_SECRET, sectionOf, startSlack } from './support.ts';

const FORM = modalOf('Subscribe', [
  inputOf('project', { type: 'external_select', action_id: 'project_a', min_query_length: 0 }),
]);

/** Starts a small bot on the real Bolt, installed through the real install pages, to show that the practice Slack behaves like Slack. */
async function startBolt() {
  const { slack, seed } = await startSlack();
  const clientOptions = { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 } };
  const receiver = new ExpressReceiver({
    signingSecret: SIGNING_SECRET,
    clientId: slack.app.clientId,
    clientSecret: slack.app.clientSecret,
    scopes: ['commands', 'chat:write'],
    installationStore: new MemoryInstallationStore(),
    logLevel: LogLevel.ERROR,
    redirectUri: 'http://127.0.0.1/slack/oauth_redirect',
    installerOptions: {
      directInstall: true,
      stateVerification: false,
      redirectUriPath: '/slack/oauth_redirect',
      authorizationUrl: slack.authorizeUrl,
      clientOptions,
    },
  });
  const bolt = new App({ receiver, clientOptions, convoStore: false, logLevel: LogLevel.ERROR });
  const server: Server = await new Promise((resolve) => {
    const listening: Server = receiver.app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  slack.botRequestUrl = `${origin}/slack/events`;

  const asked = await fetch(`${origin}/slack/install`, { redirect: 'manual' });
  const back = new URL(slack.allowInstall(asked.headers.get('location') ?? '', { user: seed.dana }));
  const installed = await fetch(`${origin}/slack/oauth_redirect${back.search}`, { redirect: 'manual' });
  expect(installed.status).toBe(200);
  return { slack, seed, bolt };
}

test('a command opens a form, whose submission is announced in the channel', async () => {
  const { slack, seed, bolt } = await startBolt();
  bolt.command('/subscribe', async ({ ack, client, body }) => {
    await ack();
    await client.views.open({ trigger_id: body.trigger_id, view: FORM as never });
  });
  bolt.options('project_a', async ({ ack, payload }) => {
    await ack({ options: [{ text: { type: 'plain_text', text: `Found ${payload.value}` }, value: 'p1' }] });
  });
  bolt.view('form', async ({ ack, client, view }) => {
    await ack();
    const chosen = view.state.values.project?.project_a?.selected_option?.text.text;
    await client.chat.postMessage({ channel: seed.plans.id, text: `Subscribed to ${chosen}` });
  });
  const { user, channel } = { user: seed.dana, channel: seed.plans };
  expect(await slack.command({ user, channel, command: '/subscribe' })).toMatchObject({ status: 200 });
  const view = await slack.waitForView(user, 'Subscribe');
  const { options } = await slack.suggest({ user, view, actionId: 'project_a', value: 'apo' });
  expect(options).toMatchObject([{ value: 'p1' }]);
  expect(await slack.submitView({ user, viewId: view, values: { project: 'p1' } })).toMatchObject({
    outcome: 'closed',
  });
  expect(await slack.waitForMessage(channel, 'Subscribed to Found apo')).toMatchObject({
    teamId: seed.workspace.teamId,
  });
  expect(slack.violations).toEqual([]);
});

test('a button is answered through its response URL, and the Home tab is published', async () => {
  const { slack, seed, bolt } = await startBolt();
  bolt.command('/subscriptions', async ({ ack }) => {
    await ack({
      text: 'One',
      blocks: [{ type: 'actions', elements: [buttonOf('Remove', 'remove')] }] as never,
    });
  });
  bolt.action('remove', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'Gone', replace_original: true });
  });
  bolt.event('app_home_opened', async ({ client, event }) => {
    await client.views.publish({
      user_id: event.user,
      view: { type: 'home', blocks: [sectionOf('Welcome') as never] },
    });
  });
  const user = seed.dana;
  await slack.command({ user, channel: seed.plans, command: '/subscriptions' });
  const message = await slack.waitForEphemeral(user, 'One');
  await slack.click({ user, message, element: slack.button(message, 'Remove') });
  expect(await slack.waitForEphemeral(user, 'Gone')).toMatchObject({ id: message.id });
  await slack.openHome(user);
  expect(await slack.waitForHome(user, 'Welcome')).toMatchObject({ blocks: [{ text: { type: 'mrkdwn' } }] });
});

test('Bolt accepts what Slack signed and rejects the rest', async () => {
  const { slack, seed, bolt } = await startBolt();
  bolt.command('/subscribe', async ({ ack }) => ack('Hi'));
  const base = { user: seed.dana, channel: seed.plans, command: '/subscribe' };
  const wrong = [
    { signature: null },
    { signature: 'v0=00' },
    { body: 'command=%2Fother' },
    { timestamp: 1000 },
  ];
  for (const tamper of wrong) expect(await slack.command({ ...base, tamper })).toMatchObject({ status: 401 });
  expect(await slack.command(base)).toMatchObject({ status: 200, body: 'Hi' });
  expect(await slack.urlVerification('abc')).toMatchObject({ status: 200, json: { challenge: 'abc' } });
});
