import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { readOrCreateTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { silentLog } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { setStage } from '../support/stage.ts';
import { contentOf, inEmbedded, runSql } from './content.ts';
import { environment, runCommand } from './run-command.ts';

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-move-'));
  dataDir = join(folder, 'data');
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
  await migrate({ connection: { connectionString: server.url }, log: silentLog });
  await readOrCreateTokenKeys({ dataDir, now: new Date() });
  await server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

test('a team that outgrew the embedded database moves 100,000 events, its links and 1,001 pending changes to its own database, and the bot continues there', async () => {
  const stage = await setStage({ name: 'moved from', bot: false });
  const target = await emptyDatabase('moved to');
  onTestFinished(async () => {
    await stage.close();
    await target.drop();
  });
  const { slack, service, dana, plans } = stage;
  const bot = await stage.startChild({ env: { DATABASE_URL: '', TOKEN_KEYS: '', DATA_DIR: dataDir } });
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
  await stage.type(dana, '/plancast mute 2h');

  const create = (name: string) =>
    service.act('sam@example.com', {
      action: 'create-file',
      project: 'Harbour Tower',
      parent: 'Plans',
      name,
    });
  create('Waiting.pdf');
  const stored = () => inEmbedded(dataDir, (url) => runSql(url, 'select from plancast.events'));
  await expect.poll(stored, { timeout: 10_000 }).toBe(1);
  await bot.end('SIGINT');
  const before = await inEmbedded(dataDir, async (url) => {
    await runSql(
      url,
      `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, received_at)
       select 'n' || i, s.id, s.team_id, s.channel_id, 'posted', jsonb_build_object('name', E'tab\\t line\\n back\\\\ ä ' || i), now()
       from generate_series(1, 100000) i, plancast.subscriptions s;
       insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, reason, notification, received_at)
       select 'w' || i, subscription_id, team_id, channel_id, state, reason,
         notification || jsonb_build_object('name', 'Waiting ' || i || '.pdf', 'itemId', 'w' || i, 'path', 'Plans/Waiting ' || i || '.pdf'), now()
       from generate_series(1, 1000) i, plancast.events where state = 'pending';
       insert into plancast.links (team_id, grid_id, user_id, state, linked_at, refreshed_at)
       select 'T1', 'T1', 'U' || i, 'relink', now(), now() from generate_series(1, 1000) i`,
    );
    return contentOf(url);
  });
  const TOKEN_KEYS = await readFile(join(dataDir, 'token-keys'), 'utf8');
  const there = { ...environment, PUBLIC_URL: bot.publicUrl, DATABASE_URL: target.url, TOKEN_KEYS };
  const run = (command: string, args: string[], env: Record<string, string>) =>
    runCommand(`src/commands/${command}.ts`, args, env);
  const file = join(folder, 'all.sql.gz');
  const saved = await run('backup', [file], { ...environment, TOKEN_KEYS: '', DATA_DIR: dataDir });
  const moved = await run('restore', [file], there);

  expect(saved.stdout).toContain(`Keep the file token-keys in ${dataDir} (DATA_DIR) elsewhere`);
  expect(moved).toMatchObject({ code: 0, stderr: '' });
  expect(moved.lines).toContain('links: 1001');
  const marked = { ...before, served_address: expect.stringMatching(/^1 /) };
  expect(await contentOf(target.url)).toEqual(marked);
  expect(await run('take-over', [], there)).toMatchObject({ code: 0, stderr: '' });

  const again = await stage.startChild({
    port: Number(new URL(bot.publicUrl).port),
    env: { DATABASE_URL: target.url, TOKEN_KEYS },
  });
  await stage.type(dana, '/plancast unmute');
  const { pool } = target.connect();
  const settled = async () =>
    (await pool.query(`select state, count(*)::int from plancast.events group by 1 order by 1`)).rows;
  await expect.poll(settled, { timeout: 30_000 }).toEqual([{ state: 'posted', count: 101_001 }]);
  const unmuted = await slack.waitForMessage(plans, '1,001 changes');
  expect(unmuted.text).toContain('1,001 changes');
  create('Afterwards.pdf');
  await slack.waitForMessage(plans, 'Afterwards.pdf');
  expect(await again.end('SIGINT')).toBe(0);
}, 120_000);
