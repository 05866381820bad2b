import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import type { Measure } from '../report/measure.ts';
import { median } from '../report/statistics.ts';
import { startBot } from '../stage/bot.ts';

const goals = { running: { most: 1 }, embedded: { most: 1.2 } };

/** Measures the time from process start to the first 200 of `/readyz`, on a running database and with the embedded one. */
export async function measureStart(bench: Bench): Promise<Measure[]> {
  const { rounds } = bench.plan.start;
  const slackApiUrl = bench.slack.apiUrl();
  const database = await bench.database('start');
  const running: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    bench.say(`round ${round} of ${rounds}, a running database`);
    const bot = await startBot({ databaseUrl: database.url, role: 'all', slackApiUrl }, bench.undo);
    running.push(bot.readyMs / 1_000);
    await bot.end('SIGINT');
  }
  const folder = await mkdtemp(join(tmpdir(), 'plancast-bench-data-'));
  bench.undo.add(() => rm(folder, { recursive: true, force: true }));
  // As root, the server runs as another user, who must have access.
  await chmod(folder, 0o755);
  const embedded: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    bench.say(`round ${round} of ${rounds}, the embedded database`);
    const env = { DATA_DIR: join(folder, 'data') };
    const bot = await startBot({ role: 'all', slackApiUrl, env }, bench.undo);
    // A kill would leave its server running.
    bench.undo.add(() => bot.end('SIGINT'));
    embedded.push(bot.readyMs / 1_000);
    await bot.end('SIGINT');
  }
  const [first = Number.NaN, ...later] = embedded;
  return [
    {
      key: 'running',
      what: 'on a running database',
      value: median(running),
      unit: 's',
      goal: goals.running,
    },
    {
      key: 'embedded',
      what: 'with the embedded database',
      value: median(later),
      unit: 's',
      goal: goals.embedded,
      inShort: 'How soon is it ready after its start?',
    },
    { key: 'first', what: 'with the embedded database, including its creation', value: first, unit: 's' },
  ];
}
