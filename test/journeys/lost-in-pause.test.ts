import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Channel } from '../../sandbox/slack/directory.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'lost in pause', skipsPauses: true });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { newChannel, following, listOf, press, query } = makeStageActions(() => stage);

/** Another program removes everything at the service, and the hourly check creates it again. */
async function loseAtService(): Promise<void> {
  const { subscriptions } = stage.service;
  for (const record of subscriptions.ofUser('dana@example.com')) subscriptions.remove(record);
  await stage.checkLinks();
  expect(subscriptions.ofUser('dana@example.com')).not.toEqual([]);
}

async function pause(channel: Channel): Promise<void> {
  await press(stage.dana, await listOf(stage.dana, channel), 'Pause');
  await expect
    .poll(() => query('select state from plancast.subscriptions where channel_id = $1', [channel.id]))
    .toEqual([{ state: 'paused' }]);
}

test('a paused subscription is deleted at the service and created again: whoever resumes it reads that changes may be missing', async () => {
  const { slack, dana } = stage;
  const channel = newChannel('paused', [dana]);
  await following(dana, channel);
  await pause(channel);
  await loseAtService();
  // The next check finds everything in order, but the changes are still missing.
  await stage.checkLinks();

  const paused = await slack.waitForMessage(channel, 'paused the subscription');
  await press(dana, paused, 'Resume');
  const resumed = await slack.waitForMessage(channel, 'resumed the subscription');
  expect(slack.textOf(resumed)).toContain('I don’t know what changed in the meantime.');

  await pause(channel);
  await press(dana, paused, 'Resume');
  await slack.waitForMessage(channel, 'No changes in the meantime.');
});

test('a subscription is deleted at the service while the bot is out of the channel: invited again, the bot says that changes may be missing', async () => {
  const { slack, dana, sam } = stage;
  const channel = newChannel('out', [dana, sam]);
  await following(dana, channel);
  await slack.removeBot(channel, sam);
  await loseAtService();

  await slack.inviteBot(channel, sam);

  const back = await slack.waitForMessage(channel, 'posting here again');
  expect(slack.textOf(back)).toContain('I don’t know what changed in the meantime.');
});
