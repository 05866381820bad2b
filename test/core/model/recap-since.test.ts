import { expect, test } from 'vitest';
import { recapSince } from '../../../src/core/model/digest-hours.ts';

/** A Thursday. */
const now = new Date('2026-03-26T10:00:00Z');

test.for([
  [undefined, 'Europe/Berlin', '2026-03-24T23:00:00Z'],
  ['today', 'Europe/Berlin', '2026-03-25T23:00:00Z'],
  ['yesterday', 'Asia/Tokyo', '2026-03-24T15:00:00Z'],
  ['monday', 'Etc/UTC', '2026-03-23T00:00:00Z'],
  ['thursday', 'Etc/UTC', '2026-03-26T00:00:00Z'],
  [{ days: 3 }, 'America/New_York', '2026-03-23T04:00:00Z'],
  [{ minutes: 90 }, 'Europe/Berlin', '2026-03-26T08:30:00Z'],
  // Names are kept for seven days.
  [{ days: 7 }, 'Etc/UTC', '2026-03-19T10:00:00Z'],
  ['friday', 'nowhere', '2026-03-20T00:00:00Z'],
] as const)('%j in %s begins at %s', ([since, zone, at]) => {
  expect(recapSince(since, zone, now, 7)).toEqual(new Date(at));
});

test('a day that clocks made shorter begins at its own midnight', () => {
  const after = new Date('2026-03-30T10:00:00Z');
  expect(recapSince('yesterday', 'Europe/Berlin', after, 7)).toEqual(new Date('2026-03-28T23:00:00Z'));
  expect(recapSince('today', 'Europe/Berlin', after, 7)).toEqual(new Date('2026-03-29T22:00:00Z'));
});
