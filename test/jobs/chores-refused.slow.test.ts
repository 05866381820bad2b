import { expect, onTestFinished, test } from 'vitest';
import { emptyDatabase } from '../support/postgres.ts';
import { setStage } from '../support/stage.ts';

test('where the chores cannot run, the bot is not ready, says why, and is ready once they can', async () => {
  const database = await emptyDatabase('refused chores');
  const { pool } = database.connect();
  const name = new URL(database.url).pathname.slice(1);
  const url = new URL(database.url);
  url.username = `${name}_user`;
  url.password = 'hunter2';
  await pool.query(`create role ${url.username} login password 'hunter2'`);
  await pool.query(`grant create on database ${name} to ${url.username}`);
  await pool.query('create schema plancast_chores');
  const drop = async () => {
    await pool.query(`drop owned by ${url.username}; drop role ${url.username}`);
    await database.drop();
  };
  const stage = await setStage({
    name: 'refused chores',
    bot: false,
    database: { ...database, url: url.href, drop },
  });
  onTestFinished(() => stage.close());
  const bot = await stage.startChild();
  const readiness = () => fetch(`${bot.publicUrl}/readyz`).then(({ status }) => status);

  await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
  expect(await fetch(`${bot.publicUrl}/healthz`).then(({ status }) => status)).toBe(200);
  expect(bot.output()).toMatch(
    /permission denied for schema plancast_chores.*the chores could not be started; trying again/,
  );
  await pool.query(`alter schema plancast_chores owner to ${url.username}`);
  await expect.poll(readiness, { timeout: 30_000 }).toBe(200);

  // An admin who cleans up, and removes too much.
  await pool.query('alter table plancast_chores.job_common rename to gone');
  await expect.poll(readiness, { timeout: 60_000 }).toBe(503);
  await pool.query('alter table plancast_chores.gone rename to job_common');
  await expect.poll(readiness, { timeout: 30_000 }).toBe(200);
});
