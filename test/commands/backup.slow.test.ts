import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeBackup } from '../../src/store/backup-file.ts';
import { migrate } from '../../src/store/migrate.ts';
import { makeSealing } from '../../src/store/sealing/sealing.ts';
import { parseTokenKeys } from '../../src/store/sealing/token-keys.ts';
import { readOrCreateSecret } from '../../src/store/tables/secrets.ts';
import * as served from '../../src/store/tables/served-address.ts';
import { silentLog } from '../support/log.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { setStage } from '../support/stage.ts';
import { contentOf, inEmbedded, runSql } from './content.ts';
import { environment, runCommand } from './run-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plancast-backup-'));
  // When started as root, the server runs as another user, who needs access.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

type Where = Record<string, string>;
const entries = { backup: 'src/commands/backup.ts', restore: 'src/commands/restore.ts' } as const;
const run = (command: keyof typeof entries, file: string, where: Where) =>
  runCommand(entries[command], [file], { ...environment, ...where });
const embedded = (dataDir: string): Where => ({ DATABASE_URL: '', TOKEN_KEYS: '', DATA_DIR: dataDir });

test('an operator loses the disk of the embedded database, and restores everything elsewhere from a backup made while the bot ran', async () => {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const file = join(folder, 'all.sql.gz');
  const stage = await setStage({ name: 'backed up', bot: false });
  onTestFinished(() => stage.close());
  const { slack, service, dana, plans } = stage;
  const bot = await stage.startChild({ env: embedded(first) });
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
  await inEmbedded(first, (url) =>
    runSql(
      url,
      `insert into plancast.events (notification_id, subscription_id, team_id, channel_id, state, notification, received_at)
       select 'n' || i, s.id, s.team_id, s.channel_id, 'posted', jsonb_build_object('name', E'tab\\t line\\n back\\\\. ä ' || i), now()
       from generate_series(1, 100000) i, plancast.subscriptions s`,
    ),
  );

  const made = await run('backup', file, embedded(first));
  await bot.end('SIGINT');
  const before = await inEmbedded(first, contentOf);
  const withoutKeys = await run('restore', file, embedded(second));
  await mkdir(second, { recursive: true });
  await copyFile(join(first, 'token-keys'), join(second, 'token-keys'));
  await rm(first, { recursive: true });
  // The file ends in the middle of a table, and the embedded server takes a while to stop after that.
  const half = join(folder, 'half.sql.gz');
  const packed = await readFile(file);
  await writeFile(half, packed.subarray(0, packed.length / 2));
  const halved = await run('restore', half, embedded(second));
  const restored = await run('restore', file, embedded(second));
  const twice = await run('restore', file, embedded(second));

  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.lines).toContain('events: 100000');
  expect(made.stdout).toContain(`Keep the file token-keys in ${first} (DATA_DIR) elsewhere`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(withoutKeys).toMatchObject({ code: 78, stdout: '' });
  expect(withoutKeys.stderr).toMatch(/^The file token-keys is missing in /);
  const incomplete = `${half}: The backup is incomplete. Nothing was restored.\n`;
  expect(halved).toMatchObject({ code: 1, stdout: '', stderr: incomplete });
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.lines).toContain('events: 100000');
  expect(restored.lines.at(-1)).toBe(
    'Everything is restored. Stop the bot that it is from, then run `npm run take-over`.',
  );
  const marked = { ...before, served_address: expect.stringMatching(/^1 /) };
  expect(await inEmbedded(second, contentOf)).toEqual(marked);
  expect(twice).toMatchObject({ code: 1, stdout: '' });
  expect(twice.stderr).toMatch(/^The database is not empty \(plancast\.\w+\): .+ Nothing was restored\.\n$/);

  const again = await stage.startChild({
    port: Number(new URL(bot.publicUrl).port),
    env: embedded(second),
    answers: '/healthz',
  });
  await expect.poll(again.output).toContain('standing by: the database was restored from a backup');
  service.act('sam@example.com', {
    action: 'create-file',
    project: 'Harbour Tower',
    parent: 'Plans',
    name: 'Afterwards.pdf',
  });
  await expect
    .poll(() =>
      inEmbedded(second, (url) => runSql(url, `select from plancast.events where state = 'pending'`)),
    )
    .toBe(1);
  const takenOver = await runCommand('src/commands/take-over.ts', [], {
    ...environment,
    ...embedded(second),
    PUBLIC_URL: bot.publicUrl,
  });
  expect(takenOver).toMatchObject({ code: 0, stderr: '' });
  // Within a minute, the running bot notices.
  await slack.waitForMessage(plans, 'Afterwards.pdf', 60_000);
  expect(await again.end('SIGINT')).toBe(0);
}, 120_000);

test('a backup of an older release is migrated when it is restored', async () => {
  const [source, target] = [await emptyDatabase('older source'), await emptyDatabase('older target')];
  // The release before the table `requests`.
  const connection = { connectionString: source.url };
  await migrate({ connection, log: silentLog, upTo: '0004-frozen-links' });
  await runSql(source.url, `insert into plancast.audit (team_id, act, at) values ('T1', 'subscribe', now())`);
  const file = join(folder, 'older.sql.gz');
  await writeBackup({ pool: source.connect().pool, file });

  const { code, stderr } = await run('restore', file, { DATABASE_URL: target.url });
  const { rows } = await target
    .connect()
    .pool.query(
      `select act, (select count(*)::integer from plancast.requests) as requests from plancast.audit`,
    );
  await Promise.all([source.drop(), target.drop()]);

  expect(gunzipSync(await readFile(file)).toString()).toMatch(
    /\n-- migrations: 0001-start .+ 0004-frozen-links\n/,
  );
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(rows).toEqual([{ act: 'subscribe', requests: 0 }]);
}, 60_000);

test('a restore ends between its rows and the last migration: the database is marked as restored, so that no bot works on it', async () => {
  const [source, target] = [await emptyDatabase('marked source'), await emptyDatabase('marked target')];
  const upTo = '0056-claimed-requests';
  await migrate({ connection: { connectionString: source.url }, log: silentLog, upTo });
  await served.takeOver(source.connect().db, 'https://bot.example.com');
  // Refuses the first migration after the rows are there.
  await runSql(
    target.url,
    `create function refuse() returns event_trigger language plpgsql as $$ begin
       if to_regclass('plancast.served_address') is not null then
         if exists (select from plancast.served_address) then raise exception 'no'; end if;
       end if;
     end $$;
     create event trigger refuse on ddl_command_start when tag in ('ALTER TABLE') execute function refuse()`,
  );
  const file = join(folder, 'marked.sql.gz');
  await writeBackup({ pool: source.connect().pool, file });

  const { code } = await run('restore', file, { DATABASE_URL: target.url });
  const marked = await served.read(target.connect().db);
  await Promise.all([source.drop(), target.drop()]);

  expect(code).not.toBe(0);
  expect(marked).toEqual({ address: 'https://bot.example.com', restored: true });
}, 60_000);

test('a file that is truncated, changed, from a newer release or not a backup restores nothing', async () => {
  const source = await freshDatabase('backup source');
  await runSql(source.url, `insert into plancast.audit (team_id, act, at) values ('T1', 'x', now())`);
  const target = await emptyDatabase('backup target');
  const file = join(folder, 'whole.sql.gz');
  await run('backup', file, { DATABASE_URL: source.url });
  const packed = await readFile(file);
  const text = gunzipSync(packed).toString();
  const files: [string, Buffer, RegExp][] = [
    ['cut', packed.subarray(0, packed.length - 20), /: The backup is incomplete\. Nothing was restored\.\n$/],
    [
      'shortened',
      gzipSync(text.slice(0, text.indexOf('copy plancast.events'))),
      /: The backup is incomplete\./,
    ],
    ['plain', Buffer.from('hello'), /: The file is not a backup of Plancast\./],
    [
      'smuggling',
      gzipSync(text.replace('begin;', 'drop schema public;')),
      /: The file is not a backup of Plancast\./,
    ],
    ['newer', gzipSync(text.replace('0001-start', '0001-start 9999-later')), /newer release \(9999-later\)/],
  ];

  for (const [name, content, line] of files) {
    await writeFile(join(folder, name), content);
    const { code, stdout, stderr } = await run('restore', join(folder, name), { DATABASE_URL: target.url });
    expect(stderr).toMatch(line);
    expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' });
  }
  const none = await run('restore', join(folder, 'there-is-none'), { DATABASE_URL: target.url });
  const over = await run('backup', file, { DATABASE_URL: source.url });
  await run('restore', file, { DATABASE_URL: target.url });
  const { rows } = await target.connect().pool.query('select act from plancast.audit');
  await Promise.all([source.drop(), target.drop()]);

  expect(none).toMatchObject({
    code: 1,
    stderr: `${join(folder, 'there-is-none')} cannot be read (ENOENT).\n`,
  });
  expect(over).toMatchObject({ code: 1, stdout: '', stderr: `${file} already exists: name a new file.\n` });
  // After all of them it is still empty, and accepts the complete file.
  expect(rows).toEqual([{ act: 'x' }]);
}, 180_000);

test('an admin restores with the wrong TOKEN_KEYS, and reads that only the keys are missing', async () => {
  const source = await freshDatabase('keys source');
  const target = await emptyDatabase('keys target');
  const otherKeys = `other:${randomBytes(32).toString('base64')}`;
  const sealing = makeSealing(parseTokenKeys(otherKeys));
  await readOrCreateSecret({ db: source.connect().db, sealing }, 'canary', () => 'sings');
  const file = join(folder, 'keys.sql.gz');
  await run('backup', file, { DATABASE_URL: source.url, TOKEN_KEYS: otherKeys });

  const { code, stderr } = await run('restore', file, { DATABASE_URL: target.url });
  const { rows } = await target.connect().pool.query('select name from plancast.secrets');
  await Promise.all([source.drop(), target.drop()]);

  expect(stderr).toMatch(
    /^Everything is restored, but the keys are wrong\. TOKEN_KEYS cannot open what is stored under "other": put /,
  );
  expect(code).toBe(78);
  expect(rows).toEqual([{ name: 'canary' }]);
});

test.each(['backup', 'restore'] as const)(
  'an operator who types npm run %s alone, or with an empty name, gets the usage',
  async (command) => {
    for (const args of [[], ['']]) {
      const { code, stderr } = await runCommand(entries[command], args, {});

      expect(stderr).toMatch(new RegExp(`^Usage: npm run ${command} -- FILE\\n.+\\n$`));
      expect(code).toBe(2);
    }
  },
);
