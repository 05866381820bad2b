import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { type StatementProxy, startStatementProxy } from './support/statement-proxy.ts';

const minuteMs = 60_000;

/** The bot in this process keeps running; Slack's events go to the other process, which is killed. */
let stage: Stage;
let proxy: StatementProxy;

beforeAll(async () => {
  stage = await setStage({ name: 'kill uninstalling' });
  proxy = await startStatementProxy(stage.database.url);
});
afterAll(async () => {
  await stage.close();
  await proxy.close();
});

test('U1: a process killed during an uninstall leaves it to the other process, and the tokens are deleted within 5 minutes', async () => {
  const { slack, dana, sam, bot } = stage;
  await stage.link(dana, 'dana@example.com');
  await stage.link(sam, 'sam@example.com');
  const victim = await stage.startChild({ env: { DATABASE_URL: proxy.url, PUBLIC_URL: bot.publicUrl } });
  const unlinking = proxy.hold({ statement: /^\s*delete from plancast\.links/, when: 'before' });
  const events = slack.uninstall(stage.teamId);
  await unlinking.reached(1);
  slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
  await victim.end('SIGKILL');
  // Slack resends events that were not answered with 200 (Slack: Events API, retries).
  for (const event of await events) if (event.status !== 200) await event.replay(1);

  for (let minute = 0; minute < 5; minute += 1) {
    stage.advance(minuteMs);
    await bot.runChore('departures');
  }

  await expect.poll(() => tokensLeft(), { timeout: 5_000 }).toBe(0);
});

async function tokensLeft(): Promise<number> {
  const { rows } = await stage.database
    .connect()
    .pool.query<{ count: number }>('select count(*)::int as count from plancast.links');
  return rows[0]?.count ?? 0;
}
