import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'too many' });
});
afterAll(() => stage.close());

/** Returns the answers to Dana's commands since `before`. */
function answersSince(before: number): string[] {
  return stage.slack
    .ephemerals(stage.dana)
    .slice(before)
    .map(({ text }) => text);
}

const isRefusal = (text: string) => /try again in \d+ seconds?/i.test(text);

test('I start six links in ten minutes, alternating between two processes: five are answered with a link, the sixth says when to try again', async () => {
  const { slack, teamId, plans } = stage;
  const first = stage.bot;
  const second = await stage.addBot();
  const eager = slack.addUser({ teamId, realName: 'Eager', name: 'eager', email: 'eager@example.com' });
  plans.members.add(eager.id);
  for (const bot of [first, second, first, second, first, second]) {
    slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
    await stage.type(eager, '/plancast link');
  }

  await expect.poll(() => slack.ephemerals(eager)).toHaveLength(6);
  const texts = slack.ephemerals(eager).map(({ text }) => text);
  expect(texts.map((text) => (isRefusal(text) ? 'refused' : 'link'))).toEqual([
    ...Array.from({ length: 5 }, () => 'link'),
    'refused',
  ]);
});

test('I type eighty commands in a minute, some of them mistyped, alternating between two processes: thirty are answered, the others say when to try again', async () => {
  const { slack, dana, sam } = stage;
  const first = stage.bot;
  const second = await stage.addBot();
  const sendTo = (bot: typeof first) => {
    slack.botRequestUrl = `${bot.publicUrl}/slack/events`;
  };
  for (let turn = 0; turn < 40; turn += 1) {
    for (const bot of [first, second]) {
      sendTo(bot);
      await stage.type(dana, turn % 2 === 0 ? '/plancast status' : '/plancast satus');
    }
  }
  await expect.poll(() => answersSince(0)).toHaveLength(80);
  const refusals = answersSince(0).filter(isRefusal);

  expect(refusals).toHaveLength(50);
  const seconds = refusals.map((text) => Number(/in (\d+) second/.exec(text)?.[1]));
  expect(Math.max(...seconds)).toBeLessThanOrEqual(60);
  expect(Math.min(...seconds)).toBeGreaterThan(0);

  await stage.type(sam, '/plancast status');
  await slack.waitForEphemeral(sam, ({ text }) => !isRefusal(text));
  stage.advance(61_000);
  await stage.type(dana, '/plancast status');
  await expect.poll(() => answersSince(80)).toHaveLength(1);
  expect(answersSince(80).filter(isRefusal)).toEqual([]);
});
