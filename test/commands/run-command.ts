import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../guards/source-files.ts';
import { testTokenKeys } from '../support/bot.ts';

/** Settings that every command starts with; nothing listens at the addresses. */
export const environment: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'https://bot.example.com',
  SLACK_SIGNING_SECRET: 'signing-hunter2',
  SLACK_BOT_TOKEN: 'xoxb-hunter2',
  SERVICE_BASE_URL: 'https://api.example.com/v1',
  SERVICE_AUTH_URL: 'https://auth.example.com',
  SERVICE_CLIENT_ID: 'plancast',
  SERVICE_CLIENT_SECRET: 'service-hunter2',
  TOKEN_KEYS: testTokenKeys,
};

/** Runs a file of the repository as an admin does, and waits until it exits. */
export async function runCommand(
  file: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
) {
  const run = spawn(process.execPath, [join(root, file), ...args], { env, cwd: root });
  const [stdout, stderr, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'exit')]);
  return { code: code as number | null, stdout, stderr, lines: stdout.trimEnd().split('\n') };
}
