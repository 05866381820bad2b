import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../guards/source-files.ts';

/** Starts the simple bot, has it log an error, and lets `end` end it. */
const script = (end: string): string => `
  import { startAfternoon } from './bench/stage/afternoon.ts';
  const bot = await startAfternoon({ slackApiUrl: 'http://127.0.0.1:9/', targets: [] }, { add() {} });
  const url = 'http://127.0.0.1:' + bot.port + '/notifications/none';
  const headers = { 'content-type': 'application/json' };
  for (const body of ['noise', '{}']) await fetch(url, { method: 'POST', headers, body });
  ${end}
`;

test.for([
  ['is ended', 'await bot.end()', /^$/],
  ['crashes', 'process.kill(bot.pid, "SIGKILL")', /ended by itself:.*SyntaxError/s],
] as const)('what the simple bot logs is shown only if it fails: it %s', async ([, end, shown]) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--eval', script(end)], {
    cwd: root,
    // In tests, Express logs nothing.
    env: { ...process.env, NODE_ENV: '' },
  });
  expect(stdout).toBe('');
  expect(stderr).toMatch(shown);
});
