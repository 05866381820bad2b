import { expect, onTestFinished, test } from 'vitest';
import { markRestored } from '../../src/store/backup-file.ts';
import { migrate, migrations } from '../../src/store/migrate.ts';
import * as served from '../../src/store/tables/served-address.ts';
import { silentLog } from '../support/log.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { environment, runCommand } from './run-command.ts';

const takeOver = (args: readonly string[], env: Record<string, string>) =>
  runCommand('src/commands/take-over.ts', args, { ...environment, ...env });

test('an operator who adds a word to npm run take-over gets the usage, and nothing changes', async () => {
  const database = await freshDatabase('take over');
  onTestFinished(database.drop);
  const { db } = database.connect();
  await served.takeOver(db, 'https://old.example.com');

  const { code, stderr, stdout } = await takeOver(['https://new.example.com'], {
    DATABASE_URL: database.url,
  });

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Usage: npm run take-over {4}.+\n$/);
  expect(await served.read(db)).toEqual({ address: 'https://old.example.com', restored: false });
});

test('an operator takes a restored database over at its old address, and reads what happens next and what to stop', async () => {
  const database = await freshDatabase('take over restored');
  onTestFinished(database.drop);
  const { db, pool } = database.connect();
  await served.takeOver(db, 'https://bot.example.com');
  await markRestored(pool);

  const { code, stderr, lines } = await takeOver([], { DATABASE_URL: database.url });

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(lines).toEqual([
    'Until now, the database was restored from a backup. From now on, it serves https://bot.example.com.',
    'Within a minute, a bot with that PUBLIC_URL starts to work: its remote subscriptions replace those with another address, it renews tokens,',
    'and it posts. A bot on this database with another PUBLIC_URL stands by.',
    'Stop every bot on another copy of this database, or the two take the remote subscriptions from each other.',
  ]);
  expect(await served.read(db)).toEqual({ address: 'https://bot.example.com', restored: false });
});

test('a database of the last release serves the address of most of its active remote subscriptions', async () => {
  const database = await emptyDatabase('served address');
  onTestFinished(database.drop);
  const connection = { connectionString: database.url };
  const before = migrations[migrations.indexOf('0032-served-address') - 1];
  await migrate({ connection, log: silentLog, upTo: before });
  const { db, pool } = database.connect();
  await pool.query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery,
       threads, callback_token_hash, callback_base, service_subscription_id, state, created_at, changed_at)
     select 'T1', 'C' || n, 'U1', 'project', n::text, true, '{}', '{}', false, sha256(n::text::bytea), base, id, state, now(), now()
     from (values
       (1, 'https://now.example.com', 11, 'active'), (2, 'https://now.example.com', 12, 'active'),
       (3, 'https://before.example.com', 13, 'active'), (4, 'https://before.example.com', 14, 'paused'),
       (5, 'https://before.example.com', 15, 'paused'), (6, 'https://never.example.com', null, 'pending')
     ) as rows (n, base, id, state)`,
  );

  await migrate({ connection, log: silentLog });

  expect(await served.read(db)).toEqual({
    address: 'https://now.example.com',
    restored: false,
  });
});
