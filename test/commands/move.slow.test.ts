import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { readOrCreateTokenKeys, readTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { silentLog } from '../support/log.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/postgres.ts';
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

const move = (address: string, more: Record<string, string> = {}) =>
  runCommand('src/commands/move.ts', [address], {
    ...environment,
    TOKEN_KEYS: '',
    DATA_DIR: dataDir,
    ...more,
  });

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
  await slack.waitForMessage(plans, 'subscribed this channel');
  await stage.type(dana, '/plancast mute 2h');

  const whileRunning = await move(target.url);
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
  const moved = await move(target.url);

  expect(whileRunning).toMatchObject({ code: 69, stdout: '' });
  expect(whileRunning.stderr).toMatch(/is already in use by process \d+: stop that one/);
  expect(moved).toMatchObject({ code: 0, stderr: '' });
  expect(moved.lines).toContain('links: 1001');
  expect(moved.stdout).toContain(`the line in the file ${join(dataDir, 'token-keys')}`);
  expect(await contentOf(target.url)).toEqual(before);
  const [key] = (await readTokenKeys(dataDir)) ?? [];
  const secret = Buffer.from(key?.secret ?? '').toString('base64');
  expect(secret).toHaveLength(44);
  expect(moved.stdout).not.toContain(secret);
  expect(moved.stdout).not.toContain(new URL(target.url).password);

  const again = await stage.startChild({
    port: Number(new URL(bot.publicUrl).port),
    env: { DATABASE_URL: target.url, TOKEN_KEYS: `${key?.id}:${secret}` },
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

test('a database that is not empty is refused, and the embedded one can still be moved elsewhere', async () => {
  const foreign = await emptyDatabase('with a table');
  await runSql(foreign.url, 'create table customers (id integer)');
  const used = await freshDatabase('used by a bot');
  await runSql(used.url, `insert into plancast.secrets values ('one', 'sealed')`);
  const released = await freshDatabase('released, never used');
  const all: TestDatabase[] = [foreign, used, released];

  const outcomes = [await move(foreign.url), await move(used.url)];
  const third = await move(released.url);
  const twice = await move(released.url);
  await Promise.all(all.map((database) => database.drop()));

  const sentence = (table: string) =>
    `The database at that address is not empty (${table}): create an empty one, and give its address. Nothing was moved.\n`;
  expect(outcomes).toEqual([
    expect.objectContaining({ code: 1, stdout: '', stderr: sentence('public.customers') }),
    expect.objectContaining({ code: 1, stdout: '', stderr: sentence('plancast.secrets') }),
  ]);
  expect(third).toMatchObject({ code: 0, stderr: '' });
  expect(twice).toMatchObject({ code: 1, stdout: '' });
  expect(twice.stderr).toMatch(/^The database at that address is not empty \(plancast\.\w+\): /);
}, 60_000);

test('a database that is unreachable or refuses the login is reported with a remedy, without the password', async () => {
  const target = await emptyDatabase('refusing');
  const address = new URL(target.url);
  address.password = 'hunter2';
  const nobody = await move('postgres://plancast:hunter2@127.0.0.1:9/plancast');
  const wrong = await move(address.href);
  address.pathname = '/there_is_none';
  const none = await move(address.href);
  await target.drop();

  expect(nobody.stderr).toBe(
    'The database at that address cannot be reached (nothing listens there): start Postgres, or correct host and port in the address. Nothing was moved.\n',
  );
  expect(wrong.stderr).toContain('refuses the user or the password (28P01): ');
  expect(none.stderr).toContain('28P01');
  for (const { code, stdout, stderr } of [nobody, wrong, none]) {
    expect(`${stdout}${stderr}`).not.toMatch(/hunter2| {4}at /);
    expect(code).toBe(69);
  }
}, 60_000);

test('a database that a newer release has migrated can only be moved by that release', async () => {
  const target = await emptyDatabase('newer');
  await inEmbedded(dataDir, (url) =>
    runSql(url, `insert into plancast.migrations values ('9999-future', now()::text)`),
  );
  const refused = await move(target.url);
  await inEmbedded(dataDir, (url) =>
    runSql(url, `delete from plancast.migrations where name = '9999-future'`),
  );
  const { rows } = await target.connect().pool.query(`select from pg_namespace where nspname = 'plancast'`);
  await target.drop();

  expect(refused.stderr).toBe(
    'A newer release has migrated the embedded database (9999-future): move with that release. Nothing was moved.\n',
  );
  expect(refused.code).toBe(1);
  expect(rows).toEqual([]);
}, 60_000);

test.each([[[]], [['postgres://one', 'two']], [['mysql://host/database']]])(
  'an admin who typed %j gets the usage',
  async (args) => {
    const { code, stdout, stderr } = await runCommand('src/commands/move.ts', args, {});

    expect(stderr).toMatch(/^Usage: npm run move -- postgres:.+\n.+\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  },
);
