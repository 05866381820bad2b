import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildManifest, type Manifest } from '../../manifest/build-manifest.ts';
import { namesBeside } from '../../src/slack/grammar/command-names.ts';

const script = join(import.meta.dirname, '../../manifest/print-manifest.ts');

/** Runs the command with an empty environment. */
function print(...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { env: {}, encoding: 'utf8' });
}

test('an admin gets the manifest as JSON with no settings needed', () => {
  const { status, stdout, stderr } = print('--url', 'https://bot.example.com/');

  expect(JSON.parse(stdout)).toEqual(buildManifest('https://bot.example.com', { prefix: '' }));
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('an admin renames the short commands, or omits them', () => {
  const renamed = print('--url', 'https://bot.example.com', '--prefix', 'studio-');
  const without = print('--no-short', '--url=https://bot.example.com');

  expect(JSON.parse(renamed.stdout)).toEqual(buildManifest('https://bot.example.com', { prefix: 'studio-' }));
  expect(JSON.parse(without.stdout)).toEqual(buildManifest('https://bot.example.com', 'none'));
});

test.each([[['--prefix', 'studio-']], [['--no-short']]])(
  'an admin who changes the short commands reads which setting lets the bot name them: %j',
  (options) => {
    const { stdout, stderr } = print('--url', 'https://bot.example.com', ...options);
    const { features } = JSON.parse(stdout) as Manifest;
    const inManifest = features?.slash_commands?.map(({ command }) => command) ?? [];
    const [, subscribe = ''] = /^Set SLACK_SUBSCRIBE_COMMAND=(.+) for the bot, /.exec(stderr) ?? [];
    const named = Object.values(namesBeside(subscribe) ?? {}).map((name) => name.split(' ')[0]);

    expect(new Set(named)).toEqual(new Set(inManifest));
  },
);

test('an admin turns token rotation on, and the rest of the manifest is the same', () => {
  const { status, stdout } = print('--url', 'https://bot.example.com', '--rotate-tokens');
  const usual = buildManifest('https://bot.example.com', { prefix: '' });

  expect(usual.settings?.token_rotation_enabled).toBe(false);
  expect(JSON.parse(stdout)).toEqual({
    ...usual,
    settings: { ...usual.settings, token_rotation_enabled: true },
  });
  expect(status).toBe(0);
});

test('an admin names the hosts whose links get a preview, up to five', () => {
  const domains = (hosts: readonly string[]) => hosts.flatMap((host) => ['--link-domain', host]);
  const url = 'https://bot.example.com';
  const { status, stdout } = print('--url', url, ...domains(['Plans.example.com', 'sessions.example.com']));

  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(
    buildManifest(url, { prefix: '' }, { linkDomains: ['plans.example.com', 'sessions.example.com'] }),
  );
  for (const wrong of [
    ['https://plans.example.com'],
    ['plans'],
    ['a.b', 'b.b', 'c.b', 'd.b', 'e.b', 'f.b'],
  ]) {
    expect(print('--url', url, ...domains(wrong)).status).toBe(2);
  }
});

test('asking for help prints the usage', () => {
  const { status, stdout } = print('--help');

  expect(stdout).toContain('npm run --silent manifest -- --url https://bot.example.com');
  expect(status).toBe(0);
});

test.each([
  ['a missing URL', []],
  ['a missing value', ['--url']],
  ['http on another host', ['--url', 'http://bot.example.com']],
  ['text that is not a URL', ['--url', 'bot']],
  ['an unknown option', ['--url', 'https://bot.example.com', '--color']],
  ['an extra word', ['--url', 'https://bot.example.com', 'please']],
  ['a prefix with capitals', ['--url', 'https://bot.example.com', '--prefix', 'Studio-']],
  ['a prefix with a slash', ['--url', 'https://bot.example.com', '--prefix', '/studio-']],
  ['an empty prefix', ['--url', 'https://bot.example.com', '--prefix', '']],
  ['a prefix that is too long', ['--url', 'https://bot.example.com', '--prefix', 'x'.repeat(19)]],
  ['a prefix that turns one command into another', ['--url', 'https://bot.example.com', '--prefix', 'un']],
  [
    'two options that exclude each other',
    ['--url', 'https://bot.example.com', '--prefix', 'a', '--no-short'],
  ],
])('wrong arguments print the usage and exit with 2: %s', (_what, args) => {
  const { status, stdout, stderr } = print(...args);

  expect(stderr).toMatch(/^.+\n\nPrints the manifest/);
  expect(stderr).not.toMatch(/ {4}at /);
  expect(stdout).toBe('');
  expect(status).toBe(2);
});
