import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QuietHours, quietPeriod } from '../../../src/core/model/quiet-hours.ts';
import { manyRuns } from '../../support/many-runs.ts';

const night = { from: '18:00', to: '07:00', zone: 'Europe/Stockholm' };

test.each<[string, string, Partial<QuietHours>, string, string]>([
  ['on a workday at noon, tonight', '2026-11-26T11:00Z', {}, '2026-11-26T17:00Z', '2026-11-27T06:00Z'],
  ['at night, the night that is', '2026-11-26T23:00Z', {}, '2026-11-26T17:00Z', '2026-11-27T06:00Z'],
  ['as they end, the next night', '2026-11-27T06:00Z', {}, '2026-11-27T17:00Z', '2026-11-28T06:00Z'],
  [
    'on Friday evening with weekends, until Monday',
    '2026-11-27T18:00Z',
    { weekends: true },
    '2026-11-27T17:00Z',
    '2026-11-30T06:00Z',
  ],
  [
    'on Sunday evening with weekends, the same stretch',
    '2026-11-29T22:00Z',
    { weekends: true },
    '2026-11-27T17:00Z',
    '2026-11-30T06:00Z',
  ],
  [
    'over lunch',
    '2026-11-26T11:30Z',
    { from: '12:00', to: '13:00' },
    '2026-11-26T11:00Z',
    '2026-11-26T12:00Z',
  ],
  [
    'over lunch, with the weekend next',
    '2026-11-27T12:00Z',
    { from: '12:00', to: '13:00', weekends: true },
    '2026-11-27T23:00Z',
    '2026-11-29T23:00Z',
  ],
  [
    'in the night in which clocks go back, an hour longer',
    '2026-10-24T20:00Z',
    {},
    '2026-10-24T16:00Z',
    '2026-10-25T06:00Z',
  ],
  [
    'in the night in which clocks go forward, an hour shorter',
    '2027-03-27T20:00Z',
    {},
    '2027-03-27T17:00Z',
    '2027-03-28T05:00Z',
  ],
  [
    'until a time that clocks skip, as much later',
    '2027-03-27T20:00Z',
    { to: '02:30' },
    '2027-03-27T17:00Z',
    '2027-03-28T01:30Z',
  ],
  [
    'in a zone that is not known, as in UTC',
    '2026-11-26T11:00Z',
    { zone: 'Mars/Olympus' },
    '2026-11-26T18:00Z',
    '2026-11-27T07:00Z',
  ],
])('%s', (_, at, hours, from, until) => {
  const period = quietPeriod({ ...night, ...hours }, new Date(at));
  expect(period).toEqual({ from: new Date(from), until: new Date(until) });
});

test('at any moment, in any zone, there is one stretch: it ends later, and where one ends the next begins later', () => {
  const time = fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
  const zones = fc.constantFrom(
    'Europe/London',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Pacific/Chatham',
  );
  fc.assert(
    fc.property(
      fc
        .record({ from: time, to: time, zone: zones, weekends: fc.constantFrom(undefined, true as const) })
        .filter(({ from, to }) => from !== to),
      fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
      (hours, at) => {
        const { from, until } = quietPeriod(hours, at);
        expect(until > at && until > from).toBe(true);
        expect(quietPeriod(hours, new Date(until.getTime() - 1))).toEqual({ from, until });
        expect(quietPeriod(hours, until).from > until).toBe(true);
      },
    ),
    { numRuns: manyRuns(300) },
  );
});
