import { expect, test } from 'vitest';
import { makeMalformed } from '../../bench/load/malformed.ts';
import {
  notificationBody,
  notificationId,
  numberOf,
  requestText,
  type Target,
} from '../../bench/load/notification.ts';
import { parseNotifications } from '../../src/service/notifications.ts';

const target: Target = {
  token: 'A'.repeat(32),
  channelId: 'C1',
  recordId: 100_001,
  projectId: '123-456-789',
};
const series = { mark: '0a1b2c3d' };

test('each body is a different notification, in the form the service would send', () => {
  const numbers = [0, 1, 19, 20, 999_999];
  const { notifications, rejected } = parseNotifications(
    numbers.map((number) => JSON.parse(notificationBody(target, series, number))),
  );

  expect(rejected).toBe(0);
  expect(notifications.map(({ id }) => numberOf(series, id))).toEqual(numbers);
  expect(new Set(notifications.map(({ itemId }) => itemId)).size).toBe(numbers.length);
  expect(notifications[0]).toMatchObject({
    serviceSubscriptionId: '100001',
    projectId: '123-456-789',
    resourceType: 'ProjectItems',
    eventType: 'Create',
    itemType: 'file',
  });
});

test("an Id from another run is not counted as one of this run's", () => {
  expect(numberOf(series, notificationId({ mark: 'ffffffff' }, 1))).toBe(null);
});

test('a request states the length of its body in bytes', () => {
  expect(requestText('t', '{"a":"ä"}')).toContain('Content-Length: 10\r\n\r\n{"a":"ä"}');
});

test('no malformed body parses as a notification, and each has the length it states', () => {
  const request = makeMalformed(target);
  const taken: string[] = [];
  for (let number = 0; number < 2_000; number++) {
    const bytes = request(number);
    const end = bytes.indexOf('\r\n\r\n') + 4;
    const head = bytes.subarray(0, end).toString();
    const body = bytes.subarray(end);
    expect(Number(/Content-Length: (\d+)/.exec(head)?.[1])).toBe(body.length);
    if (!head.includes('Content-Encoding') && body.length <= 256 * 1_024 && isNotification(body))
      taken.push(body.toString());
  }

  expect(taken).toEqual([]);
});

function isNotification(body: Buffer): boolean {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const isEmptyList = Array.isArray(json) && json.length === 0;
    return isEmptyList || parseNotifications(json).notifications.length > 0;
  } catch {
    return false;
  }
}

test('malformed bodies are the same in every run', () => {
  const [one, other] = [makeMalformed(target), makeMalformed(target)];

  for (let number = 0; number < 50; number++) expect(one(number).equals(other(number))).toBe(true);
});
