import { expect, test } from 'vitest';
import { shownAt } from '../../bench/figures/shown-at.ts';
import { notificationId } from '../../bench/load/notification.ts';

const series = { mark: '0a1b2c3d' };
const event = (number: number, messageTs: string | null, postedAt: number | null, channelId = 'C1') => ({
  notificationId: notificationId(series, number),
  channelId,
  messageTs,
  postedAt,
});
const entry = (ts: string, storedAt: number, channel = 'C1') => ({
  method: 'chat.postMessage',
  source: 'bot',
  channel,
  ts,
  arrivedAt: storedAt - 80,
  storedAt,
  number: null,
});

test('for an edited message, earlier events count as shown when it was posted, later ones when it was edited', () => {
  const log = [entry('1.1', 1_000), entry('1.1', 4_000), entry('1.1', 7_000)];

  const shown = shownAt([event(1, '1.1', 1_003), event(2, '1.1', 4_002)], log, series);

  expect([...shown]).toEqual([
    [1, 1_000],
    [2, 4_000],
  ]);
});

test('an event that no message in Slack shows is not counted as shown, even if the database says so', () => {
  const log = [entry('1.1', 1_000), entry('2.2', 1_000, 'C2')];

  expect(
    shownAt(
      [event(1, '9.9', 1_003), event(2, null, null), event(3, '2.2', 1_003), event(4, '1.1', 500)],
      log,
      series,
    ).size,
  ).toBe(0);
});

test('events of another run do not count', () => {
  expect(shownAt([event(1, '1.1', 1_003)], [entry('1.1', 1_000)], { mark: 'ffffffff' }).size).toBe(0);
});
