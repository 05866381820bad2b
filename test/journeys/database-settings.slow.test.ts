import { expect, onTestFinished, test } from 'vitest';
import { environment, runCommand } from '../commands/run-command.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { setStage } from '../support/stage.ts';
import { walkTheJourney } from '../support/switch-journey.ts';

/** What an admin of Postgres may have set for the role or the database of the bot, each with another meaning than the default. */
const settings = [
  `datestyle = 'German, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `bytea_output = 'escape'`,
  `timezone = 'Asia/Kolkata'`,
  'extra_float_digits = -15',
  'standard_conforming_strings = off',
  'array_nulls = off',
  `default_transaction_isolation = 'serializable'`,
  'statement_timeout = 20',
  'lock_timeout = 20',
  'search_path = theirs, pg_catalog',
  `client_encoding = 'LATIN1'`,
];

test.for(['database', 'role'] as const)(
  'people link and follow as usual where the %s has settings of its own',
  async (of) => {
    const database = await emptyDatabase('settings');
    const { pool } = database.connect();
    const name = new URL(database.url).pathname.slice(1);
    const url = new URL(database.url);
    if (of === 'role') {
      // Only this role, since all tests share the server.
      url.username = `${name}_role`;
      url.password = 'hunter2';
      await pool.query(`create role ${url.username} login superuser password 'hunter2'`);
    }
    await pool.query('create schema theirs');
    await pool.query('create table theirs.events (id integer)');
    const changed = of === 'role' ? url.username : name;
    for (const setting of settings) await pool.query(`alter ${of} ${changed} set ${setting}`);
    const stage = await setStage({
      name: 'settings',
      database: {
        ...database,
        url: url.href,
        drop: async () => {
          if (of === 'role') await pool.query(`drop owned by ${url.username}; drop role ${url.username}`);
          await database.drop();
        },
      },
      bot: false,
    });
    onTestFinished(() => stage.close());
    const bot = await stage.startChild();

    await walkTheJourney(stage, `of the ${of}`);

    await expect.poll(() => bot.output(), { timeout: 20_000 }).toContain('"msg":"ready"');
    expect(bot.output()).not.toMatch(/"level":"(?:warn|error)"/);
  },
);

test.for(['transaction_timeout', 'idle_session_timeout'])(
  'an admin of Postgres has set %s for the database: the start names it and what to do',
  async (name) => {
    const database = await emptyDatabase('timeouts');
    onTestFinished(database.drop);
    const of = new URL(database.url).pathname.slice(1);
    await database.connect().pool.query(`alter database ${of} set ${name} = '4s'`);

    const { code, stderr } = await runCommand('src/commands/release.ts', [], {
      ...environment,
      DATABASE_URL: database.url,
    });

    expect(code).toBe(78);
    expect(stderr).toBe(
      `The database of DATABASE_URL has ${name} set to 4000ms: run \`alter role USER set ${name} = 0\`.\n`,
    );
  },
);

test('people link and follow as usual where DATABASE_URL names only the folder of a Unix socket', async () => {
  const database = await emptyDatabase('socket');
  const { username, password, pathname, searchParams } = new URL(database.url);
  const url = `postgres://${username}:${password}@${pathname}?host=${searchParams.get('host')}`;
  const stage = await setStage({ name: 'socket', database: { ...database, url }, bot: false });
  onTestFinished(() => stage.close());
  const bot = await stage.startChild();

  await walkTheJourney(stage, 'through a socket');

  expect(bot.output()).not.toMatch(/"level":"(?:warn|error)"/);
});
