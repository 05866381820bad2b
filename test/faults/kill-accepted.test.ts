import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ name: 'kill', bot: false, rateLimit: 'strict' });
});
afterAll(() => stage.close());

test('200 notifications accepted before a kill -9 are all posted by the restarted bot', async () => {
  const { slack, service, dana, plans } = stage;
  const first = await stage.startChild();
  await stage.link(dana, 'dana@example.com');
  await stage.type(dana, '/subscribe project 412-873-550');
  await slack.waitForMessage(plans, 'to this channel');
  const [subscription] = service.subscriptions.all();
  if (!subscription) throw new Error('nothing was subscribed');

  // From here on Slack refuses everything, so all 200 are accepted and none is posted before the kill.
  const down = slack.fault({ method: 'chat.postMessage', status: 503, times: 1_000 });
  const ids = Array.from({ length: 200 }, () => randomUUID());
  const answers = await Promise.all(ids.map((id, index) => notify(subscription.uri, { id, index })));
  expect(answers.filter((status) => status !== 200)).toEqual([]);
  expect(await first.end('SIGKILL')).toBeNull();
  down.clear();

  await stage.startChild({ port: Number(new URL(first.publicUrl).port) });
  await expect
    .poll(() => states(), { timeout: 40_000, interval: 250 })
    .toEqual([{ state: 'posted', count: '200' }]);
  const shown = slack.messages(plans).map((message) => message.ts);
  const { rows } = await stage.database
    .connect()
    .pool.query<{ ts: string }>('select distinct message_ts as ts from plancast.events');
  expect(rows.filter(({ ts }) => !shown.includes(ts))).toEqual([]);
  expect(slack.tooFast()).toBe(0);
}, 90_000);

async function states(): Promise<{ state: string; count: string }[]> {
  const { rows } = await stage.database
    .connect()
    .pool.query('select state, count(*) from plancast.events group by state order by state');
  return rows;
}

async function notify(uri: string, { id, index }: { id: string; index: number }): Promise<number> {
  const response = await fetch(uri, {
    method: 'POST',
    body: JSON.stringify({
      Id: id,
      Resource: '/Primes/1/Projects/412-873-550/',
      Timestamp: new Date().toISOString(),
      ExtraInformation: {
        ResourceType: 'ProjectItems',
        EventType: 'Create',
        User: `person-${index}@example.com`,
        IdPath: `root/item-${index}`,
        Path: `Root/Sheet ${index}.pdf`,
        ItemType: 'File',
        Name: `Sheet ${index}.pdf`,
      },
    }),
  });
  await response.body?.cancel();
  return response.status;
}
