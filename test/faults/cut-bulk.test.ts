import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Channel, User } from '../../sandbox/slack/directory.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { View } from '../../sandbox/slack/views.ts';
import { linkDirectly } from '../support/link-directly.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';
import { type Cut, type CutRequest, startCuttingCalls } from './support/cut-calls.ts';

let stage: Stage;
let ada: User;
let channels: readonly Channel[];
let cutting: ReturnType<typeof startCuttingCalls>;
const { newChannel, query } = makeStageActions(() => stage);

beforeAll(async () => {
  cutting = startCuttingCalls();
  // Nothing is posted, so announcements stay where they can be counted.
  stage = await setStage({ name: 'cut bulk', env: { ROLE: 'web' } });
  const { slack, teamId, dana } = stage;
  ada = slack.addUser({ teamId, name: 'Ada Admin', email: 'lee@example.com', isAdmin: true });
  await linkDirectly(
    await stage.addCore(),
    { enterpriseId: null, teamId, userId: dana.id },
    'dana@example.com',
  );
  channels = [newChannel('one', [dana]), newChannel('two', [dana])];
  for (const channel of channels) await stage.type(dana, '/subscribe project 412-873-550', channel);
  await vi.waitFor(async () =>
    expect(await query('select 1 from plancast.announcements')).toHaveLength(channels.length),
  );
});
afterAll(async () => {
  await stage.close();
  cutting.stop();
});

test.each([
  ['Pause all 2', 'active', 'paused'],
  ['Resume all 2', 'paused', 'active'],
  ['Remove all 2', 'active', 'ended'],
])(
  '%s, killed at any step: in each channel it is done, announced and in the audit log, or nothing of that',
  async (button, before, after) => {
    const whole = await press(button, before, { how: 'killed', nth: Number.POSITIVE_INFINITY });
    expect(await readChannels()).toEqual(channels.map(() => ({ state: after, announced: 1, audited: 1 })));

    const steps = [...whole.calls().entries()].filter(([, call]) => !isRead.test(call));
    const wrong: string[] = [];
    for (const [at, call] of steps) {
      await press(button, before, { how: 'killed', nth: at + 1 });
      for (const { state, announced, audited } of await readChannels()) {
        const expected = state === after ? 1 : 0;
        if (announced !== expected || audited !== expected)
          wrong.push(`${call}: ${state}, ${announced} announced, ${audited} in the audit log`);
      }
    }
    process.stderr.write(`${button}: ${whole.calls().length} calls, killed at ${steps.length}\n`);
    expect(wrong).toEqual([]);
  },
);

/** A process that dies before one of these leaves the same as before the next call. */
const isRead = /^select (?!pg_)/i;

/** Opens the list of all subscriptions, which are all in one state again, and presses a button whose handling is cut. */
async function press(button: string, before: string, cut: Cut): Promise<CutRequest> {
  const { slack } = stage;
  // A person can press 30 buttons a minute.
  stage.advance(60_000);
  await query(
    `update plancast.subscriptions
     set state = $1, reason = case when $1 = 'paused' then 'by a person' end, ended_at = null,
       paused_by = case when $1 = 'paused' then '' end`,
    [before],
  );
  await query('delete from plancast.announcements');
  await query('delete from plancast.audit');
  const click = (view: View, label: string) =>
    slack.click({ user: ada, view, element: slack.button(view, label) });
  await slack.openHome(ada);
  await click(await slack.waitForHome(ada, 'All subscriptions'), 'All subscriptions');
  if (before === 'paused') await showPaused(await slack.waitForHome(ada, 'All states'));
  const list = await slack.waitForHome(ada, button);
  const request = cutting.next('/slack/events', cut);
  await click(list, button);
  await request.settled();
  return request;
}

/** Only a list of paused subscriptions offers to resume all. */
async function showPaused(view: View): Promise<void> {
  const element = findElements(view.blocks).find(({ actionId }) => actionId === 'workspace_state');
  if (!element) throw new Error('the list has no filter');
  await stage.slack.click({ user: ada, view, element, value: 'paused' });
}

function readChannels() {
  return query(
    `select state, (select count(*)::int from plancast.announcements a where a.channel_id = s.channel_id) as announced,
       (select count(*)::int from plancast.audit a where a.channel_id = s.channel_id) as audited
     from plancast.subscriptions s order by channel_id`,
  );
}
