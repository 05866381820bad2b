import { afterEach, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import { type Hold, type StatementProxy, startStatementProxy } from './support/statement-proxy.ts';

const minuteMs = 60_000;

/** The bot in this process removes the workspace; the other one carries out what its people typed a moment before. */
let stage: Stage;
let proxy: StatementProxy;
afterEach(async () => {
  await stage.close();
  await proxy.close();
});

const { codeOn, query } = makeStageActions(() => stage);

/** Types a line that is carried out by a process of its own, which stops before a statement. */
async function typedUntil(
  statement: RegExp,
  type: () => Promise<unknown>,
): Promise<{ readonly held: Hold; readonly done: () => Promise<void> }> {
  const { slack, bot } = stage;
  const child = await stage.startChild({ env: { DATABASE_URL: proxy.url, PUBLIC_URL: bot.publicUrl } });
  const held = proxy.hold({ statement, when: 'before' });
  const typed = type();
  await held.reached(1);
  slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
  return {
    held,
    done: async () => {
      held.release();
      await typed;
      // It finishes what it works on.
      await child.end('SIGTERM');
    },
  };
}

/** Removes the workspace while the other process stands still, lets that go on, and runs the chores of the minute after. */
async function uninstalledMeanwhile({ done }: Awaited<ReturnType<typeof typedUntil>>): Promise<void> {
  await stage.slack.uninstall(stage.teamId, { together: true });
  await stage.bot.runChore('departures');
  expect(await query('select purged_at is not null as purged from plancast.departures')).toEqual([
    { purged: true },
  ]);
  await done();
  await stage.bot.runChore('sweep');
  stage.advance(minuteMs);
  await stage.bot.runChore('departures');
}

async function setUp(name: string): Promise<void> {
  stage = await setStage({ name, rateLimit: 'off' });
  proxy = await startStatementProxy(stage.database.url);
}

test('a member subscribes while an admin uninstalls the bot: the subscription has ended a minute later, and nothing is at the service', async () => {
  await setUp('subscribe during uninstall');
  const { slack, service, dana } = stage;
  await stage.link(dana, 'dana@example.com');
  const channel = slack.addChannel({ name: 'late', members: [dana] });
  const subscribing = await typedUntil(/^\s*insert into plancast\.subscriptions/, () =>
    stage.type(dana, '/subscribe project 412-873-550', channel),
  );

  await uninstalledMeanwhile(subscribing);

  expect(await query('select state, reason from plancast.subscriptions')).toEqual([
    { state: 'ended', reason: 'uninstalled' },
  ]);
  expect(service.subscriptions.all()).toEqual([]);
});

test('a member enters the code of a link while an admin uninstalls the bot: their tokens are deleted a minute later', async () => {
  await setUp('link during uninstall');
  const { slack, ravi, plans } = stage;
  await stage.type(ravi, '/plancast link', plans);
  const offer = await slack.waitForEphemeral(ravi, 'Enter code');
  const page = await stage.linkInBrowser(String(slack.button(offer, 'Link').element.url), 'dana@example.com');
  const linking = await typedUntil(/^\s*insert into plancast\.links/, () =>
    stage.type(ravi, `/plancast link ${codeOn(page)}`, plans),
  );

  await uninstalledMeanwhile(linking);

  expect(await query('select id from plancast.links')).toEqual([]);
});
