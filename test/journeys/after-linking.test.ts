import { afterAll, beforeAll, expect, test } from 'vitest';
import type { User } from '../../sandbox/slack/directory.ts';
import { sessionsAtLocks } from '../support/postgres.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

const email = 'dana@example.com';
const minute = 60_000;
let stage: Stage;
const written: string[] = [];
const { newChannel, query } = makeStageActions(() => stage);

beforeAll(async () => {
  stage = await setStage({ name: 'after linking', onLog: (line) => written.push(line) });
});
afterAll(() => stage.close());

test.each([
  ['noor@example.com', 'messages_tab_disabled'],
  ['lee@example.com', 'user_disabled'],
])(
  'Slack lets the bot send no message to %s (%s): they are linked, and the bot tries once',
  async (address, error) => {
    const { slack, teamId, bot } = stage;
    const name = `${address} ${error}`;
    const person = slack.addUser({ teamId, realName: name, name, email: address });
    await stage.type(person, '/plancast link', newChannel('refused', [person]));
    const fault = slack.fault({
      method: 'chat.postMessage',
      channel: person.id,
      error,
      times: Number.POSITIVE_INFINITY,
    });
    expect(await stage.linkInBrowser(await linkUrl(person), address)).toContain('You’re linked');
    await expect.poll(fault.hits).toBe(1);
    for (const _ of [1, 2]) {
      stage.advance(2 * minute);
      await bot.runChore('sweep');
    }
    expect(fault.hits()).toBe(1);
    expect(
      written.filter((line) => line.includes('announcement refused') && line.includes(error)),
    ).toHaveLength(1);
  },
);

test('the bot stops while I finish my link: the command that waited for it is carried out, once', async () => {
  const { slack, dana, database } = stage;
  const channel = newChannel('stopping', [dana]);
  await stage.type(dana, '/subscribe project 412-873-550', channel);
  const url = await linkUrl(dana);
  const { pool } = database.connect();
  await query(`
    create function hold_taking() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger hold_taking before update on plancast.link_attempts
      for each row when (old.request is not null and new.request is null) execute function hold_taking()`);
  const holder = await pool.connect();
  await holder.query('select pg_advisory_lock(1)');
  // The page does not wait for what follows the link.
  expect(await stage.linkInBrowser(url, email)).toContain('You’re linked');
  await expect.poll(() => sessionsAtLocks(pool)).toBeGreaterThan(0);
  const stopped = stage.bot.stop();
  const answers = () => fetch(`${stage.bot.publicUrl}/healthz`).then(Boolean, () => false);
  // Once the server is closed, the rest of the bot is stopping.
  await expect.poll(answers).toBe(false);
  await holder.query('select pg_advisory_unlock(1)');
  holder.release();
  await stopped;

  const next = await stage.addBot();
  stage.advance(2 * minute);
  await next.runChore('sweep');
  await slack.waitForMessage(channel, 'to this channel');
  expect(await query('select state from plancast.subscriptions')).toEqual([{ state: 'active' }]);
  expect(slack.messages(channel)).toHaveLength(1);
});

async function linkUrl(user: User): Promise<string> {
  const offer = await stage.slack.waitForEphemeral(user, 'Link');
  return String(stage.slack.button(offer, 'Link').element.url);
}
