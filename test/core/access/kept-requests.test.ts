import Keyv from 'keyv';
import { expect, test } from 'vitest';
import { keepAnswer, readRequest } from '../../../src/core/access/kept-requests.ts';
import type { Request, SubscribeRequest } from '../../../src/core/model/request.ts';
import { keepStart } from '../../../src/core/subscribing/form-context.ts';

const records = new Map<string, unknown>();
const bot = { keyv: new Keyv({ store: records, useKeyPrefix: false }) };
const request = (paths: number): Request => ({
  act: 'subscribe',
  target: { kind: 'project', projectId: '123-456-789' },
  comprehensive: true,
  filters: { paths: Array.from({ length: paths }, (_, index) => `${'Plans/'.repeat(10)}${index}`) },
});

test('a request that fits into a button is stored in it, and a longer one can be read back just the same', async () => {
  const short = await keepAnswer(bot, request(1));
  expect(records.size).toBe(0);
  expect(await readRequest(bot, short)).toEqual({ act: 'answer', request: request(1) });
  const long = await keepAnswer(bot, request(50));
  expect(long.length).toBeLessThan(100);
  expect(await readRequest(bot, long)).toEqual({ act: 'answer', request: request(50) });
});

test('what a form was opened with is gone within 24 hours of an uninstall, also if that is noticed an hour later', async () => {
  records.clear();
  await keepStart(bot, request(50) as SubscribeRequest);
  const [kept] = records.values();
  const { expires } = JSON.parse(String(kept));
  expect(expires - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
});

test.each(['', 'kept:', 'kept:short', `kept:${'x'.repeat(40)}`, 'kept:../../x', '{"act":"subscribe"}', '[]'])(
  'a value that the bot did not make reads back as nothing: %s',
  async (value) => {
    expect(await readRequest(bot, value)).toBeNull();
  },
);
