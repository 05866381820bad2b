import { expect, onTestFinished, test } from 'vitest';
import { setStage } from '../support/stage.ts';

test('a command typed the moment a process is ready is answered, although the code for it is only loaded then', async () => {
  const stage = await setStage({ name: 'just started', bot: false });
  onTestFinished(stage.close);
  const { slack, dana, sam, ravi } = stage;
  const people = [dana, sam, ravi];
  await stage.startChild();

  const taken = await Promise.all(people.map((person) => stage.type(person, '/plancast help')));

  expect(taken.map(({ status }) => status)).toEqual([200, 200, 200]);
  for (const person of people) await slack.waitForEphemeral(person, '`/plancast subscribe`', 20_000);
});
