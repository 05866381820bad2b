import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestSince, lastDigestHour } from '../../../src/core/model/digest-hours.ts';
import { manyRuns } from '../../support/many-runs.ts';

const daily = (at: string, zone: string) => ({ when: 'daily', at, zone }) as const;
const weekly = { when: 'weekly', day: 'friday', at: '16:30', zone: 'Europe/Berlin' } as const;

test.each([
  [
    'an hourly digest is due on the hour',
    { when: 'hourly' } as const,
    '2026-11-20T10:59:59Z',
    '2026-11-20T10:00:00Z',
  ],
  [
    'a daily digest is due today once its time has come',
    daily('09:00', 'Europe/Berlin'),
    '2026-11-20T08:00:00Z',
    '2026-11-20T08:00:00Z',
  ],
  [
    "until then the last daily digest is yesterday's",
    daily('09:00', 'Europe/Berlin'),
    '2026-11-20T07:59:59Z',
    '2026-11-19T08:00:00Z',
  ],
  [
    'a digest on weekdays waits over the weekend',
    { ...daily('09:00', 'Europe/Berlin'), weekdays: true } as const,
    '2026-11-22T12:00:00Z',
    '2026-11-20T08:00:00Z',
  ],
  [
    "on Monday morning the last weekday digest is Friday's",
    { ...daily('09:00', 'Europe/Berlin'), weekdays: true } as const,
    '2026-11-23T07:59:59Z',
    '2026-11-20T08:00:00Z',
  ],
  ['it follows summer time', daily('09:00', 'Europe/Berlin'), '2026-07-01T12:00:00Z', '2026-07-01T07:00:00Z'],
  [
    "the day the clocks go back has 25 hours: before its digest is due, the last one is yesterday's",
    daily('23:30', 'Europe/Berlin'),
    '2026-10-25T22:15:00Z',
    '2026-10-24T21:30:00Z',
  ],
  [
    'the day the clocks go forward has 23 hours',
    daily('00:30', 'Europe/Berlin'),
    '2026-03-29T22:15:00Z',
    '2026-03-28T23:30:00Z',
  ],
  [
    "the day after the clocks go forward: before its digest is due, the last one is yesterday's",
    daily('23:30', 'Europe/Berlin'),
    '2026-03-30T21:15:00Z',
    '2026-03-29T21:30:00Z',
  ],
  [
    'a time that the clocks skip is later by the skipped hour, east of Greenwich',
    daily('02:30', 'Europe/Berlin'),
    '2026-03-29T12:00:00Z',
    '2026-03-29T01:30:00Z',
  ],
  [
    'a time that the clocks skip is later by the skipped hour, west of Greenwich',
    daily('02:30', 'America/New_York'),
    '2026-03-08T12:00:00Z',
    '2026-03-08T07:30:00Z',
  ],
  [
    'a time that occurs twice is due the second time, also west of Greenwich',
    daily('01:30', 'America/New_York'),
    '2026-11-01T12:00:00Z',
    '2026-11-01T06:30:00Z',
  ],
  [
    'an unknown time zone counts as UTC, and nothing is thrown',
    daily('09:00', 'Mars/Olympus_Mons'),
    '2026-11-20T10:00:00Z',
    '2026-11-20T09:00:00Z',
  ],
  [
    'a zone far ahead is on another day',
    daily('09:00', 'Pacific/Auckland'),
    '2026-11-20T21:00:00Z',
    '2026-11-20T20:00:00Z',
  ],
  ['a weekly digest is due on its day', weekly, '2026-11-20T15:30:00Z', '2026-11-20T15:30:00Z'],
  [
    'before that day and hour, a weekly digest was due a week ago',
    weekly,
    '2026-11-20T15:29:59Z',
    '2026-11-13T15:30:00Z',
  ],
  [
    'a weekly digest on the day the clocks go forward keeps to the clock',
    { ...weekly, day: 'sunday', at: '02:30' } as const,
    '2026-04-04T22:00:00Z',
    '2026-03-29T01:30:00Z',
  ],
  [
    'the day the clocks go back has one digest',
    daily('02:30', 'Europe/Berlin'),
    '2026-10-25T12:00:00Z',
    '2026-10-25T01:30:00Z',
  ],
])('%s', (_name, delivery, now, due) => {
  expect(lastDigestHour(delivery, new Date(now))?.toISOString()).toBe(new Date(due).toISOString());
});

test('a live subscription has no digest hour', () => {
  expect(lastDigestHour({ when: 'live' }, new Date())).toBeNull();
});

test('in every time zone, hour by hour through a year, each calendar day has one digest, never before its time', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const at = fc.constantFrom('00:00', '00:30', '01:30', '02:00', '02:30', '03:00', '12:00', '23:30');
  const start = Date.parse('2026-01-01T00:10:00Z');
  fc.assert(
    fc.property(zone, at, fc.integer({ min: 0, max: 365 * 24 }), (zone, at, hours) => {
      const now = new Date(start + hours * 3_600_000);
      const due = lastDigestHour(daily(at, zone), now)?.getTime() ?? Number.NaN;
      expect(due).toBeLessThanOrEqual(now.getTime());
      expect(now.getTime() - due).toBeLessThan(26 * 3_600_000);
      // It stays the same until the next one is due.
      expect(lastDigestHour(daily(at, zone), new Date(due))?.getTime()).toBe(due);
      expect(lastDigestHour(daily(at, zone), new Date(due - 1))?.getTime()).toBeLessThan(due);
    }),
    { numRuns: manyRuns(300) },
  );
});

test.each([
  [
    "a daily digest covers the time since yesterday's",
    daily('09:00', 'Europe/Berlin'),
    '2026-11-01T00:00:00Z',
    '2026-11-20T08:00:10Z',
    '2026-11-19T08:00:00Z',
  ],
  [
    "Monday's weekday digest covers the time since Friday's",
    { ...daily('09:00', 'Europe/Berlin'), weekdays: true } as const,
    '2026-11-01T00:00:00Z',
    '2026-11-23T08:00:10Z',
    '2026-11-20T08:00:00Z',
  ],
  [
    "a weekly digest covers the time since last week's",
    weekly,
    '2026-11-01T00:00:00Z',
    '2026-11-20T15:30:10Z',
    '2026-11-13T15:30:00Z',
  ],
  [
    'the first digest covers the time since the subscription was made',
    { when: 'hourly' } as const,
    '2026-11-20T09:20:00Z',
    '2026-11-20T10:00:10Z',
    '2026-11-20T09:20:00Z',
  ],
])('%s', (_name, delivery, madeAt, now, since) => {
  expect(digestSince(delivery, new Date(madeAt), new Date(now))).toEqual(new Date(since));
});

test('a live subscription has no start of a digest period', () => {
  expect(digestSince({ when: 'live' }, new Date(), new Date())).toBeNull();
});
