import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { root } from './source-files.ts';

/** Runs the bot as Node runs it, whose own stripping of types Vitest does not use, until it ends. */
async function start(environment: Record<string, string>) {
  const bot = spawn(process.execPath, [join(root, 'src/main.ts')], { cwd: root, env: environment });
  const [stdout, stderr, [code]] = await Promise.all([text(bot.stdout), text(bot.stderr), once(bot, 'exit')]);
  return { code, stdout, lines: stderr.trimEnd().split('\n') };
}

const variableOf = (line: string) => line.split(' ')[0];

test('an admin who set nothing reads all that is missing, one line each, and the process ends with 78', async () => {
  const { code, stdout, lines } = await start({});

  expect(lines.map(variableOf)).toEqual([
    'PUBLIC_URL',
    'SLACK_SIGNING_SECRET',
    'SLACK_CLIENT_ID',
    'SLACK_CLIENT_SECRET',
    'SERVICE_BASE_URL',
    'SERVICE_AUTH_URL',
    'SERVICE_CLIENT_ID',
    'SERVICE_CLIENT_SECRET',
  ]);
  expect(lines.filter((line) => !line.includes(' is missing: '))).toEqual([]);
  expect(stdout).toBe('');
  expect(code).toBe(78);
});

test('what is malformed is listed beside what is missing, without a secret and without a stack', async () => {
  const { code, lines } = await start({
    PUBLIC_URL: 'http://bot.example.com',
    PORT: 'many',
    DATABASE_URL: 'mysql://plancast:hunter2@db.example.com/plancast',
    TOKEN_KEYS: 'one:aHVudGVyMg==',
    SLACK_SIGNING_SECRET: 'hunter2',
    SLACK_BOT_TOKEN: 'xoxp-hunter2',
    ROLE: 'boss',
  });

  expect(lines.map(variableOf)).toEqual([
    'PUBLIC_URL',
    'PORT',
    'DATABASE_URL',
    'SLACK_BOT_TOKEN',
    'SERVICE_BASE_URL',
    'SERVICE_AUTH_URL',
    'SERVICE_CLIENT_ID',
    'SERVICE_CLIENT_SECRET',
    'TOKEN_KEYS',
    'ROLE',
  ]);
  expect(lines.join('\n')).not.toMatch(/hunter2|aHVudGVyMg|mysql:| {4}at /);
  expect(code).toBe(78);
});
