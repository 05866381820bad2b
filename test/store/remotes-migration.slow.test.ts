import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodes } from '../../src/lib/end-error.ts';
import { migrate, migrations } from '../../src/store/migrate.ts';
import { silentLog } from '../support/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

const breaking = '0038-remotes-breaking';

/** Returns a database of the release before what stands at the service had rows of its own, and a folder for backups. */
async function before() {
  const database = await emptyDatabase('remotes');
  onTestFinished(database.drop);
  const folder = await mkdtemp(join(tmpdir(), 'plancast-backup-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const connection = { connectionString: database.url };
  const last = migrations[migrations.indexOf(breaking) - 1];
  await migrate({ connection, log: silentLog, upTo: last });
  const { pool } = database.connect();
  return { connection, pool, folder };
}

test('an operator upgrades: every subscription of the earlier release keeps its tokens and Keys, and what was left over is to be deleted', async () => {
  const { connection, pool, folder } = await before();
  await pool.query(
    `insert into plancast.links (id, team_id, grid_id, user_id, state, linked_at, refreshed_at)
     values ('00000000-0000-0000-0000-000000000001', 'T1', 'T1', 'U1', 'active', now(), now())`,
  );
  await pool.query(
    `insert into plancast.subscriptions (team_id, channel_id, owner_user_id, kind, parent_id, comprehensive, filters, delivery, threads,
       callback_token_hash, previous_token_hash, callback_base, service_subscription_id, previous_service_subscription_id, sealed_key,
       previous_sealed_key, state, created_at, changed_at, ended_at, released_at, previous_removed_at)
     select 'T1', name, case when name = 'unlinked' then 'U2' else 'U1' end, 'project', '412-873-550', true, '{}', '{}', false,
       sha256(name::bytea), case when had then sha256(('old ' || name)::bytea) end, 'https://bot', id, old, 'key of ' || name,
       case when had then 'old key of ' || name end, state, now() - interval '1 day', now() - interval '1 hour', ended, released, removed
     from (values
       ('active', 'active', 11, null::bigint, false, null::timestamptz, null::timestamptz, null::timestamptz),
       ('unlinked', 'paused', 12, null, false, null, null, null),
       ('pending', 'pending', null, null, false, null, null, null),
       ('replaced', 'active', 13, 14, true, null, null, now() - interval '1 minute'),
       ('replaced, not deleted', 'active', 15, 16, true, null, null, null),
       ('interrupted', 'active', null, 17, true, null, null, null),
       ('ended', 'ended', 18, null, false, now(), null, null),
       ('released', 'ended', 19, null, false, now(), now(), null),
       ('never made', 'ended', null, null, false, now(), null, null)
     ) as rows (name, state, id, old, had, ended, released, removed)`,
  );

  await migrate({ connection, log: silentLog, backupIn: folder });

  const { rows } = await pool.query(
    `select s.channel_id as name, r.service_id as id, r.link_id is not null as linked, r.sealed_key as key, r.key_column as as,
       r.comprehensive as fits, r.made_at is not null as made, r.lost_at is not null as lost, r.deleted_at is not null as deleted,
       r.token_hash = sha256(s.channel_id::bytea) as newest
     from plancast.remotes r join plancast.subscriptions s on s.id = r.subscription_id order by s.channel_id, r.service_id`,
  );
  const row = (name: string, id: number | null, more: object = {}) => {
    const [newest, prefix] = [!('old' in more), 'old' in more ? 'old ' : ''];
    const { old: _, ...rest } = more as { old?: true };
    return {
      name,
      id: id === null ? null : String(id),
      linked: true,
      key: `${prefix}key of ${name}`,
      as: newest ? 'sealed_key' : 'previous_sealed_key',
      fits: true,
      made: id !== null,
      lost: id === null,
      deleted: false,
      newest,
      ...rest,
    };
  };
  expect(rows).toEqual([
    row('active', 11),
    row('ended', 18),
    row('interrupted', 17, { old: true }),
    row('interrupted', null),
    row('never made', null, { deleted: true }),
    row('pending', null),
    row('released', 19, { deleted: true }),
    row('replaced', 13),
    row('replaced', 14, { old: true, fits: false, deleted: true }),
    row('replaced, not deleted', 15),
    row('replaced, not deleted', 16, { old: true, fits: false }),
    row('unlinked', 12, { linked: false }),
  ]);
  expect(await readdir(folder)).toEqual([`before-${breaking}.backup`]);
});

test('an operator upgrades while a process of the earlier release still runs: nothing changes, and the operator reads where it runs', async () => {
  const { connection, pool, folder } = await before();
  const older = await pool.connect();
  onTestFinished(() => older.release(true));
  await older.query(`set application_name = 'plancast lanes'`);

  const refused = await migrate({ connection, log: silentLog, backupIn: folder }).catch(
    (error: unknown) => error,
  );
  await older.query(`set application_name = 'plancast lanes db-host/4711'`);
  const named = await migrate({ connection, log: silentLog, backupIn: folder }).catch(
    (error: unknown) => error,
  );

  expect(refused).toMatchObject({ exitCode: exitCodes.tryAgain });
  expect(String(refused)).toMatch(/the bot still runs: .+, connection \d+\. Stop it, then try again\.$/);
  expect(String(named)).toContain('host db-host, process 4711');
  expect(await readdir(folder)).toEqual([]);
  const { rows } = await pool.query('select name from plancast.migrations order by name desc limit 1');
  expect(rows).not.toEqual([{ name: breaking }]);
  await older.query(`set application_name = 'psql'`);
  await migrate({ connection, log: silentLog, backupIn: folder });
});
