import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeChannelActions } from '../support/channel-actions.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { makeStageActions } from '../support/stage-actions.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'look_up', bot: false });
  stage.workspace.botScopes = [...stage.workspace.botScopes, 'channels:history', 'groups:history'];
  await stage.addBot();
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const { follow, held, statesOf } = makeChannelActions(() => stage);
const { listOf, press } = makeStageActions(() => stage);

const faults = [
  { name: 'a 500 for a message that was stored', fault: { status: 500, stored: true } },
  { name: 'a connection that was reset after the message was stored', fault: { reset: true, stored: true } },
  { name: 'an answer without a ts', fault: { withoutTs: true } },
  { name: 'an answer that is an HTML page', fault: { body: 'html' as const, stored: true } },
];

test.each(faults)('if the bot may read the channel, $name leads to no duplicate', async ({ fault }) => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage);

  const armed = slack.fault({ method: 'chat.postMessage', channel: channel.id, ...fault });
  await notify(uri, { item: 'a', name: 'Roof.pdf' });
  await expect.poll(() => states(channel.id)).toEqual([{ state: 'posted' }]);
  expect(armed.hits()).toBe(1);
  expect(slack.messages(channel).filter(({ text }) => text.includes('Roof.pdf'))).toHaveLength(1);

  await notify(uri, { item: 'b', name: 'Stairs.pdf' });
  await slack.waitForMessage(channel, 'Stairs.pdf');
});

test('a message that was not stored is posted again', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage);
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 500 });
  await notify(uri, { item: 'a', name: 'Cellar.pdf' });
  await slack.waitForMessage(channel, 'Cellar.pdf');
  await expect.poll(() => states(channel.id)).toEqual([{ state: 'posted' }]);
  expect(slack.messages(channel).filter(({ text }) => text.includes('Cellar.pdf'))).toHaveLength(1);
});

test('a message whose answer was lost right before the channel was muted does not come again after the mute', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage);
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 500, stored: true });
  await notify(uri, { item: 'a', name: 'Porch.pdf' });
  await slack.waitForMessage(channel, 'Porch.pdf');
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'Dana Reyes muted');
  await stage.type(dana, '/plancast unmute', channel);
  await slack.waitForMessage(channel, 'Dana Reyes unmuted');
  expect(slack.messages(channel).filter(({ text }) => text.includes('Porch.pdf'))).toHaveLength(1);
  expect(await states(channel.id)).toEqual([{ state: 'posted' }]);
});

test('the answer to the summary after a mute is lost: neither it nor the sentence that ends the mute comes twice', async () => {
  const { slack, dana } = stage;
  const { channel, uri } = await followed(stage);
  await stage.type(dana, '/plancast mute 2h', channel);
  await slack.waitForMessage(channel, 'Dana Reyes muted');
  await notify(uri, { item: 'a', name: 'Gate.pdf' });
  const armed = slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 500, stored: true });
  await stage.type(dana, '/plancast unmute', channel);
  await expect.poll(() => states(channel.id)).toEqual([{ state: 'posted' }]);
  expect(armed.hits()).toBe(1);
  await notify(uri, { item: 'b', name: 'Fence.pdf' });
  await slack.waitForMessage(channel, 'Fence.pdf');
  const texts = slack.messages(channel).map(({ text }) => text);
  expect(texts.filter((text) => text.includes('Gate.pdf'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('Dana Reyes unmuted'))).toHaveLength(1);
});

test('the bot is removed and invited again right after a message whose answer was lost: the channel reads that it is back', async () => {
  const { slack, sam } = stage;
  const { channel, uri } = await followed(stage);
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 500, stored: true });
  await notify(uri, { item: 'a', name: 'Ramp.pdf' });
  await slack.waitForMessage(channel, 'Ramp.pdf');
  await slack.removeBot(channel, sam);
  await slack.inviteBot(channel, sam);
  await expect.poll(() => states(channel.id)).toEqual([{ state: 'posted' }]);
  await slack.waitForMessage(channel, 'I’m posting here again');
  expect(slack.messages(channel).filter(({ text }) => text.includes('Ramp.pdf'))).toHaveLength(1);
});

test('a message whose answer was lost right before the bot was removed does not come again when it is back, although Dana resumes another subscription meanwhile', async () => {
  const { slack, dana, sam } = stage;
  const { channel, uri: other } = await followed(stage);
  await press(dana, await listOf(dana, channel), 'Pause');
  const paused = await slack.waitForMessage(channel, 'Dana Reyes paused');
  const uri = await follow(channel, '/subscribe project 538-204-917');
  slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 500, stored: true });
  await notify(uri, { item: 'a', name: 'Tower.pdf' });
  await slack.waitForMessage(channel, 'Tower.pdf');
  await slack.removeBot(channel, sam);
  await press(dana, paused, 'Resume');
  await expect.poll(() => statesOf(channel)).toEqual(['active', 'paused: not in channel']);
  await notify(other, { item: 'b', name: 'Bridge.pdf' });
  await expect.poll(() => held(channel)).toEqual(['Tower.pdf', 'Bridge.pdf']);
  await slack.inviteBot(channel, sam);
  await slack.waitForMessage(channel, 'Bridge.pdf');
  expect(slack.messages(channel).filter(({ text }) => text.includes('Tower.pdf'))).toHaveLength(1);
});

async function states(channelId: string): Promise<{ state: string }[]> {
  const { rows } = await stage.database
    .connect()
    .pool.query<{ state: string }>('select state from plancast.events where channel_id = $1', [channelId]);
  return rows;
}
