import { afterAll, beforeAll, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../src/lib/durations.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'weekly', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { choose, newChannel, following, listOf, openForm, query } = makeStageActions(() => stage);
const project = '412-873-550';
const addFile = (name: string) =>
  stage.service.act('dana@example.com', { action: 'create-file', project, parent: 'Plans', name });
const deliveryIn = async ({ id }: { readonly id: string }) =>
  (await query('select delivery from plancast.subscriptions where channel_id = $1', [id]))[0];
const weekly = { when: 'weekly', zone: 'Europe/London' };

test.each([
  ['digest weekly', { ...weekly, day: 'monday', at: '09:00' }],
  ['weekly digest friday 16:30', { ...weekly, day: 'friday', at: '16:30' }],
  ['digest 17:00 Sunday except deleted', { ...weekly, day: 'sunday', at: '17:00', except: ['delete'] }],
  [
    'digest weekly 8am (Europe/Berlin)',
    { when: 'weekly', day: 'monday', at: '08:00', zone: 'Europe/Berlin' },
  ],
] as const)('"%s" is stored as %o, and the export makes the same again', async (option, delivery) => {
  const { slack, dana } = stage;
  const channel = newChannel('weekly', [dana]);
  const made = await following(dana, channel, `/subscribe project ${project} ${option}`);
  expect(await deliveryIn(channel)).toEqual({ delivery });
  const { at, zone, day } = delivery;
  const shown = `in a weekly digest on ${day.charAt(0).toUpperCase()}${day.slice(1)} at ${at.replace(/^0/, '')} ${zone.slice('Europe/'.length)} time`;
  expect(slack.textOf(made)).toContain(shown);
  expect(slack.textOf(await listOf(dana, channel))).toContain(shown);
  stage.advance(61_000);
  await stage.type(dana, '/plancast export', channel);
  const except = 'except' in delivery ? ' except deleted' : '';
  const line = `/subscribe project ${project} digest weekly ${day} ${at}${except} (${zone})`;
  await slack.waitForEphemeral(dana, line);
  await stage.type(dana, `/unsubscribe project ${project}`, channel);
  await slack.waitForMessage(channel, 'removed the subscription');
  await stage.type(dana, line, channel);
  await expect
    .poll(() =>
      query(`select delivery from plancast.subscriptions where channel_id = $1 and state = 'active'`, [
        channel.id,
      ]),
    )
    .toEqual([{ delivery }]);
});

test('weekdays belongs to a daily digest, and one day to a weekly one: what contradicts it is left out', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('both', [dana]);
  await stage.type(dana, `/subscribe project ${project} digest weekly weekdays 8:00`, channel);
  const answer = await slack.waitForEphemeral(dana, 'Left out: `weekdays`');
  expect(slack.textOf(answer)).toContain(`/subscribe project ${project} digest weekly monday 08:00`);
  await stage.type(dana, `/subscribe project ${project} digest weekly monday friday`, channel);
  await slack.waitForEphemeral(dana, 'Left out: `friday`');
  expect(slack.messages(channel)).toEqual([]);
});

test('what came in a week is one digest on its day, also what waited more than seven days', async () => {
  const { slack, dana, bot } = stage;
  const channel = newChannel('a week', [dana]);
  await following(dana, channel, `/subscribe project ${project} digest weekly friday 16:30`);
  const now = () => new Date(stage.now());
  // To Friday, 16:00 in London.
  const days = (5 - now().getUTCDay() + 7) % 7;
  const friday = Date.UTC(now().getUTCFullYear(), now().getUTCMonth(), now().getUTCDate() + days, 16, 0);
  stage.advance(friday - now().getTime() + (friday < now().getTime() ? 7 * dayMs : 0));
  await bot.runChore('sweep');
  stage.advance(hourMs);
  addFile('First.pdf');
  const held = () =>
    query(`select state from plancast.events where channel_id = $1 and state = 'pending'`, [channel.id]);
  await expect.poll(held).toHaveLength(1);
  stage.advance(6 * dayMs);
  addFile('Second.pdf');
  await expect.poll(held).toHaveLength(2);
  await bot.runChore('sweep');
  expect(slack.messages(channel)).toHaveLength(1);
  // A day late, so that the first has waited for more than a week.
  stage.advance(1.5 * dayMs);
  await bot.runChore('sweep');
  const digest = slack.textOf(await slack.waitForMessage(channel, 'Second.pdf'));
  expect(digest).toContain('First.pdf');
  expect(slack.messages(channel)).toHaveLength(2);
});

test('the form makes a weekly digest on the day I choose, and Edit shows it', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('form', [dana]);
  await choose(dana, await openForm(dana, () => stage.type(dana, '/subscribe', channel)), project);
  await slack.submitView({ user: dana, values: { when: 'weekly', day: 'thursday' } });
  const made = await slack.waitForMessage(channel, 'in a weekly digest on Thursday at 9:00 London time');
  await slack.click({ user: dana, message: made, element: slack.button(made, 'Edit') });
  const edit = await slack.waitForView(dana, 'Edit subscription');
  expect(JSON.stringify(edit.blocks)).toContain('Thursday');
});
