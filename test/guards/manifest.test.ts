import { expect, test } from 'vitest';
import { buildManifest, type Manifest } from '../../manifest/build-manifest.ts';
import type { Bot } from '../../src/core/bot.ts';
import { commands } from '../../src/core/model/verbs.ts';
import { messageShortcuts, shortcuts } from '../../src/slack/acts/press.ts';
import { eventTable } from '../../src/slack/events/table.ts';
import { readCommandName } from '../../src/slack/grammar/command-names.ts';
import { optionalScopes, requiredScopes, scopesWith } from '../../src/slack/scopes.ts';

const manifest = buildManifest('https://bot.example.com', { prefix: '' }, { linkDomains: ['plans.example'] });
const namesIn = ({ features }: Manifest) => features?.slash_commands?.map(({ command }) => command) ?? [];
const sorted = (names: readonly string[] = []) => names.toSorted((one, other) => one.localeCompare(other));

test('the manifest declares the slash commands that the bot handles, and no others', () => {
  expect(sorted(namesIn(manifest))).toEqual(sorted(commands.map((name) => `/${name}`)));
});

test('the bot recognizes its commands under every name that the manifest can give them', () => {
  const longest = 'x'.repeat(18);
  const known = ['', 'studio-', longest].map((prefix) =>
    namesIn(buildManifest('https://bot.example.com', { prefix })).map(
      (name) => readCommandName(name)?.command,
    ),
  );

  expect(known).toEqual(known.map(() => [...commands]));
});

test('the manifest subscribes to the events that the bot handles, and no others', () => {
  // The table only names its dependencies here; nothing is called.
  const handled = Object.keys(eventTable({} as Bot));

  expect(sorted(manifest.settings?.event_subscriptions?.bot_events)).toEqual(sorted(handled));
});

test('the manifest declares the shortcuts that the bot handles, and no others', () => {
  const announced = (type: string) =>
    manifest.features?.shortcuts?.filter((row) => row.type === type).map((row) => row.callback_id) ?? [];

  expect(sorted(announced('global'))).toEqual(sorted(Object.keys(shortcuts)));
  expect(sorted(announced('message'))).toEqual(sorted(Object.keys(messageShortcuts)));
});

test('the manifest requests the scopes that the bot needs, and marks the others as optional', () => {
  const scopes = manifest.oauth_config?.scopes;

  const optional = scopes?.bot_optional ?? [];
  const plain = buildManifest('https://bot.example.com', { prefix: '' }).oauth_config?.scopes;

  expect(sorted(scopes?.bot)).toEqual(sorted(scopesWith({ previews: true })));
  expect(sorted([...requiredScopes, ...optional])).toEqual(sorted(scopes?.bot));
  expect(sorted(plain?.bot)).toEqual(sorted(scopesWith({ previews: false })));
  expect(sorted(plain?.bot_optional)).toEqual(sorted(optionalScopes({ previews: false })));
});
