import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'many people' });
});
afterAll(() => stage.close());

const { choose, openForm, openMore } = makeStageActions(() => stage);

test('Slack lists a large workspace slowly and then no longer: whoever it has named is offered, and it is asked no more', async () => {
  const { slack, teamId, dana } = stage;
  for (let number = 0; number < 500; number += 1) slack.addUser({ teamId, name: `Person ${number} Many` });
  const form = await choose(
    dana,
    await openForm(dana, () => stage.type(dana, '/subscribe', stage.plans)),
    '412-873-550',
  );
  await openMore(dana, form);
  const slow = slack.fault({ method: 'users.list', delayMs: 300, times: 2 });
  const refused = slack.fault({ method: 'users.list', status: 429, times: Number.POSITIVE_INFINITY });
  const people = async (value: string) => {
    const sent = await slack.suggest({ user: dana, view: form, actionId: 'people', value });
    return JSON.stringify(sent.options);
  };
  expect(await people('rey')).toContain('Dana Reyes');
  // On the second page.
  await expect.poll(() => people('person 300')).toContain('Person 300 Many');
  for (let times = 0; times < 5; times += 1) await people('person 499');
  expect([slow.hits(), refused.hits()]).toEqual([2, 1]);
});
