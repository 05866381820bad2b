import { expect, test } from 'vitest';
import { buttonOf, sectionOf, startSlack, startStubBot, text } from './support.ts';

const link = 'https://plans.example/projects/1?a=1&b=2';

async function start() {
  const bot = await startStubBot();
  const started = await startSlack({ botRequestUrl: bot.url, unfurlDomains: ['plans.example'] });
  const events = () => bot.received.map(({ fields }) => fields.event as Record<string, unknown>);
  return { bot, events, ...started };
}
const preview = {
  [link]: { blocks: [sectionOf('A project'), { type: 'actions', elements: [buttonOf('Go', 'go')] }] },
};

test('a message that mentions the bot is sent once, where the bot is in the channel and has the scope', async () => {
  const { events, slack, seed } = await start();
  const { message } = await slack.write({ user: seed.dana, channel: seed.plans, text: 'hi @Plancast & all' });
  expect(events()).toEqual([
    {
      type: 'app_mention',
      user: seed.dana.id,
      text: 'hi <@U0PLANCAST1> &amp; all',
      ts: message.ts,
      channel: seed.plans.id,
      event_ts: message.ts,
    },
  ]);
  await slack.write({ user: seed.dana, channel: seed.lobby, text: '@plancast' });
  seed.workspace.botScopes = ['commands'];
  await slack.write({ user: seed.dana, channel: seed.plans, text: '@plancast' });
  expect(events()).toHaveLength(1);
});

test('links to the app’s domains are sent twice: while the message is written, and once it is posted', async () => {
  const { events, slack, seed } = await start();
  const written = `See ${link} and https://elsewhere.example/1`;
  const { message } = await slack.write({ user: seed.dana, channel: seed.privatePlans, text: written });
  const links = [{ domain: 'plans.example', url: link }];
  expect(events()).toEqual([
    expect.objectContaining({ type: 'link_shared', channel: 'COMPOSER', source: 'composer', links }),
    expect.objectContaining({
      type: 'link_shared',
      channel: seed.privatePlans.id,
      message_ts: message.ts,
      source: 'conversations_history',
      is_bot_user_member: false,
      links,
    }),
  ]);
  await slack.write({ user: seed.stranger, channel: seed.shared, text: link });
  expect(events()).toHaveLength(2);
});

test('a preview is shown by the id of the links, also where the bot is not; a second one replaces it', async () => {
  const { events, slack, seed, call } = await start();
  const { message } = await slack.write({ user: seed.dana, channel: seed.privatePlans, text: link });
  const { unfurl_id: id } = events()[1] ?? {};
  const where = { unfurl_id: id, source: 'conversations_history' };
  expect(await call('chat.unfurl', { ...where, unfurls: preview })).toEqual({ ok: true });
  expect(await call('chat.unfurl', { ...where, unfurls: preview })).toEqual({ ok: true });
  expect(message.attachments).toEqual([expect.objectContaining({ from_url: link, is_app_unfurl: true })]);

  const pressed = await slack.click({ user: seed.dana, message, actionId: 'go' });
  expect(pressed.payload).not.toHaveProperty('message');
  expect(pressed.payload.container).toMatchObject({
    type: 'message_attachment',
    is_app_unfurl: true,
    channel_id: seed.privatePlans.id,
  });
  await slack.rewrite(message, 'no link');
  expect(message.attachments).toEqual([]);
});

test('Slack refuses previews of other links, by channel where the bot is not, and with a select', async () => {
  const { slack, seed, call, events } = await start();
  const { message } = await slack.write({ user: seed.dana, channel: seed.privatePlans, text: link });
  const where = { unfurl_id: events()[1]?.unfurl_id, source: 'conversations_history' };
  const other = { 'https://plans.example/2': preview[link] };
  const select = { type: 'static_select', action_id: 's', options: [{ text: text('A'), value: 'a' }] };
  const withSelect = { [link]: { blocks: [sectionOf('A', { accessory: select })] } };
  const byChannel = { channel: seed.privatePlans.id, ts: message.ts };
  const errors = [
    await call('chat.unfurl', { ...where, unfurls: other }),
    await call('chat.unfurl', { ...byChannel, unfurls: preview }),
    await call('chat.unfurl', { ...where, unfurls: withSelect }),
  ].map(({ error }) => error);
  expect(errors).toEqual(['cannot_unfurl_message', 'cannot_find_channel', 'invalid_blocks']);
  seed.workspace.botScopes = ['links:read'];
  expect(await call('chat.unfurl', { ...where, unfurls: preview })).toMatchObject({ error: 'missing_scope' });
});
