import { expect, test } from 'vitest';
import { buildManifest, type Manifest } from '../../manifest/build-manifest.ts';
import { manifestFaults } from './manifest-faults.ts';

const url = 'https://bot.example.com';
const asItIs = buildManifest(url, { prefix: '' });
const commandsOf = (manifest: Manifest) => manifest.features?.slash_commands?.map(({ command }) => command);

test.each([
  ['with default names', { prefix: '' }],
  ['with the longest prefix', { prefix: 'x'.repeat(18) }],
  ['without the short commands', 'none'],
] as const)('Slack accepts the manifest %s', (_what, short) => {
  expect(manifestFaults(buildManifest(url, short))).toEqual([]);
});

test('everything that Slack sends goes to the one route that Bolt serves', () => {
  const { features, oauth_config: oauth, settings } = asItIs;

  expect(new Set(features?.slash_commands?.map((command) => command.url))).toEqual(
    new Set([`${url}/slack/events`]),
  );
  expect(settings?.event_subscriptions?.request_url).toBe(`${url}/slack/events`);
  expect(settings?.interactivity).toEqual({
    is_enabled: true,
    request_url: `${url}/slack/events`,
    message_menu_options_url: `${url}/slack/events`,
  });
  expect(oauth?.redirect_urls).toEqual([`${url}/slack/oauth_redirect`]);
});

test('typed text arrives with ids for people and URLs for links', () => {
  expect(asItIs.features?.slash_commands?.every((command) => command.should_escape)).toBe(true);
});

test('a workspace with another /subscribe only gets a prefix before the short commands', () => {
  expect(commandsOf(buildManifest(url, { prefix: 'studio-' }))).toEqual([
    '/studio-subscribe',
    '/studio-unsubscribe',
    '/studio-subscriptions',
    '/plancast',
  ]);
});

test('the short commands can be omitted', () => {
  expect(commandsOf(buildManifest(url, 'none'))).toEqual(['/plancast']);
});

test('no scope lets the bot read what people write without mentioning it, and scopes that can be declined are listed as optional', () => {
  const scopes = asItIs.oauth_config?.scopes;

  expect(scopes).toEqual({
    bot: [
      'commands',
      'chat:write',
      'channels:read',
      'groups:read',
      'users:read',
      'chat:write.public',
      'users:read.email',
      'app_mentions:read',
    ],
    bot_optional: ['chat:write.public', 'users:read.email', 'app_mentions:read'],
  });
  expect(
    asItIs.settings?.event_subscriptions?.bot_events?.filter((event) => event.startsWith('message')),
  ).toEqual([]);
});

test('Slack sends links to the named hosts only, and none without', () => {
  const previewing = buildManifest(url, { prefix: '' }, { linkDomains: ['plans.example'] });
  const { bot_events: events = [] } = previewing.settings?.event_subscriptions ?? {};

  expect(manifestFaults(previewing)).toEqual([]);
  expect(previewing.features?.unfurl_domains).toEqual(['plans.example']);
  expect(previewing.oauth_config?.scopes?.bot_optional).toEqual(
    expect.arrayContaining(['links:read', 'links:write']),
  );
  expect(events).toContain('link_shared');
  expect(JSON.stringify(asItIs)).not.toMatch(/unfurl|links:|link_shared/);
});

test('the Home tab can be read, and nothing can be typed in the Messages tab', () => {
  expect(asItIs.features?.app_home).toEqual({
    home_tab_enabled: true,
    messages_tab_enabled: true,
    messages_tab_read_only_enabled: true,
  });
});

test('an organization can install it once for all its workspaces', () => {
  expect(asItIs.settings?.org_deploy_enabled).toBe(true);
});

test.each<[string, (manifest: Manifest) => object]>([
  ['a name of 36 characters', (m) => ({ ...m, display_information: { name: 'x'.repeat(36) } })],
  [
    'a long description that is too short',
    (m) => ({ ...m, display_information: { ...m.display_information, long_description: 'x' } }),
  ],
  ['a key Slack does not know', (m) => ({ ...m, color: 'blue' })],
  ['a setting Slack does not know', (m) => ({ ...m, settings: { ...m.settings, org_deploy: true } })],
  [
    'a command without its slash',
    (m) => ({ ...m, features: { ...m.features, slash_commands: [{ command: 'a', description: 'b' }] } }),
  ],
  [
    'a shortcut of 25 characters',
    (m) => ({
      ...m,
      features: {
        ...m.features,
        shortcuts: [{ name: 'x'.repeat(25), type: 'global', callback_id: 'a', description: 'b' }],
      },
    }),
  ],
  [
    'an optional scope that is not requested',
    (m) => ({
      ...m,
      oauth_config: { ...m.oauth_config, scopes: { bot: ['commands'], bot_optional: ['a'] } },
    }),
  ],
])('reported as a fault: %s', (_what, spoil) => {
  expect(manifestFaults(spoil(asItIs))).not.toEqual([]);
});
