import { expect, test } from 'vitest';
import type { Request } from '../../../src/core/model/request.ts';
import { makeKeptRequests } from '../../../src/core/subscribing/kept-requests.ts';

const records = new Map<string, Request>();
let keys = 0;
const kept = makeKeptRequests({
  records: { get: async (key) => records.get(key), set: async (key, value) => void records.set(key, value) },
  newKey: () => `${'k'.repeat(20)}${++keys}`,
});
const request = (paths: number): Request => ({
  act: 'subscribe',
  target: { kind: 'project', projectId: '123-456-789' },
  comprehensive: true,
  filters: { paths: Array.from({ length: paths }, (_, index) => `${'Plans/'.repeat(10)}${index}`) },
});

test('a request that fits into a button is stored in it, and a longer one can be read back just the same', async () => {
  const short = await kept.keep(request(1));
  expect(records.size).toBe(0);
  expect(await kept.read(short)).toEqual(request(1));
  const long = await kept.keep(request(50));
  expect(long.length).toBeLessThan(100);
  expect(await kept.read(long)).toEqual(request(50));
});

test.each(['', 'kept:', 'kept:short', `kept:${'x'.repeat(40)}`, 'kept:../../x', '{"act":"subscribe"}', '[]'])(
  'a value that the bot did not make reads back as nothing: %s',
  async (value) => {
    expect(await kept.read(value)).toBeNull();
  },
);
