import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestBot } from '../support/bot.ts';
import { followed } from '../support/followed.ts';
import { notify } from '../support/notify.ts';
import { type Stage, setStage } from '../support/stage.ts';

let stage: Stage;
let running: TestBot;
beforeAll(async () => {
  stage = await setStage({ name: 'outage' });
  running = stage.bot;
  await stage.link(stage.dana, 'dana@example.com');
});
afterAll(() => stage.close());

const minute = 60_000;

test('events that waited while no process was running, and those that the service resends afterwards, say when they happened', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'down');
  // Slack answers nothing, so two files are pending when the last process stops.
  const fault = slack.fault({ method: 'chat.postMessage', channel: channel.id, status: 503, times: 1_000 });
  for (const name of ['A.pdf', 'B.pdf']) await notify(uri, { item: name, name, at: stage.now() });
  await stage.bot.stop();
  fault.clear();
  stage.advance(15 * minute);
  running = await stage.addBot();
  const waited = await slack.waitForMessage(channel, 'B.pdf');
  expect(waited.text).toMatch(/^Sam Okafor added 2 files/);
  expect(waited.text).toMatch(/Happened /);

  const there = uri.replace(stage.bot.publicUrl, running.publicUrl);
  const during = new Date(stage.now().getTime() - 6 * minute);
  await notify(there, { item: 'late', name: 'Late.pdf', at: during });
  expect((await slack.waitForMessage(channel, 'Late.pdf')).text).toMatch(/Happened /);
  await notify(there, { item: 'new', name: 'New.pdf', at: stage.now() });
  expect((await slack.waitForMessage(channel, 'New.pdf')).text).not.toMatch(/Happened /);
}, 40_000);

test('Slack is down when the bot starts, so the bot does not even know its own name: pending events are deferred, and posted when Slack is back', async () => {
  const { slack } = stage;
  const { channel, uri } = await followed(stage, 'away');
  const down = slack.fault({ status: 503, times: Number.POSITIVE_INFINITY });
  const there = uri.replace(stage.bot.publicUrl, running.publicUrl);
  await notify(there, { item: 'waits', name: 'Waits.pdf', user: 'unknown@example.com', at: stage.now() });
  await running.stop();
  const lines: string[] = [];
  running = await stage.addBot({ onLog: (line) => lines.push(line) });
  await expect.poll(() => lines.filter((line) => line.includes('post deferred'))).not.toEqual([]);
  expect(lines.filter((line) => line.includes('a turn of a lane failed'))).toEqual([]);
  down.clear();
  await slack.waitForMessage(channel, 'Waits.pdf', 15_000);
}, 40_000);
