import { afterAll, beforeAll, expect, test } from 'vitest';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'throttled' });
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const paces = async () => {
  const { rows } = await stage.database
    .connect()
    .pool.query<{ throttled: boolean }>('select crowded_until > now() as throttled from plancast.paces');
  return rows;
};

test('Slack throttles one channel: no other waits for it', async () => {
  const { slack } = stage;
  const [slow, other] = [await followed(stage, 'slow'), await followed(stage, 'other')];
  slack.fault({ method: 'chat.postMessage', channel: slow.channel.id, status: 429, retryAfter: 2, times: 1 });
  await notify(slow.uri, { item: 'a', name: 'Slow.pdf' });
  await slack.waitForCall('chat.postMessage', ({ status }) => status === 429).catch(() => {});
  await notify(other.uri, { item: 'b', name: 'Other.pdf' });
  await slack.waitForMessage(other.channel, 'Other.pdf', 1_500);
  await slack.waitForMessage(slow.channel, 'Slow.pdf');
  expect((await paces()).filter(({ throttled }) => throttled)).toEqual([]);
});

test('Slack throttles the whole workspace: all channels share a pace, and every event is posted', async () => {
  const { slack } = stage;
  const crowd = [];
  for (let index = 0; index < 6; index += 1) crowd.push(await followed(stage, `crowd-${index}`));
  for (const { channel } of crowd) {
    slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 429, retryAfter: 1 });
  }
  await Promise.all(crowd.map(({ uri }, index) => notify(uri, { item: 'c', name: `Crowd ${index}.pdf` })));
  await expect.poll(paces).toEqual([{ throttled: true }]);
  for (const [index, { channel }] of crowd.entries()) {
    await slack.waitForMessage(channel, `Crowd ${index}.pdf`, 15_000);
  }
});
