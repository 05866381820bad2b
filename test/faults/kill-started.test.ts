import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startBot } from '../../bench/stage/bot.ts';
import { makeUndo } from '../../bench/stage/undo.ts';
import { emptyDatabase } from '../support/postgres.ts';

test('a bot that was killed starts again without the compiler that strips types, and without what only WebSockets need', async () => {
  const { url, drop } = await emptyDatabase('kill_started');
  const home = await mkdtemp(join(tmpdir(), 'plancast-home-'));
  const undo = makeUndo(() => undefined);
  onTestFinished(async () => {
    await undo.all();
    await drop();
    await rm(home, { recursive: true, force: true });
  });
  const answer = join(home, 'loaded');
  const told = `import { writeFileSync } from 'node:fs';
    process.on('exit', () => writeFileSync('${answer}', process.moduleLoadList.filter((name) => /amaro|deps.undici/.test(name)).join()));`;
  const start = () =>
    startBot(
      {
        databaseUrl: url,
        role: 'all',
        slackApiUrl: 'http://127.0.0.1:9/api/',
        env: { HOME: home },
        nodeOptions: [`--import=data:text/javascript,${encodeURIComponent(told)}`],
      },
      undo,
    );

  const first = await start();
  const compiled = () => readdir(join(home, '.cache', 'plancast'), { recursive: true }).catch(() => []);
  await expect.poll(async () => (await compiled()).length, { timeout: 20_000 }).toBeGreaterThan(1_000);
  await sleep(2_000);
  await first.end();

  const second = await start();
  await sleep(3_000);
  await second.end('SIGINT');
  expect(await readFile(answer, 'utf8')).toBe('');
});
