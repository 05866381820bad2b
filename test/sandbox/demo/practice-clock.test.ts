import { expect, test } from 'vitest';
import { makePracticeClock, untilTimeOfDay } from '../../../sandbox/demo/practice-clock.ts';

const hour = 3_600_000;

test('the clock runs on from where it was set, and never goes back', () => {
  let machine = Date.parse('2026-11-22T10:00:00Z');
  const clock = makePracticeClock(() => machine);
  clock.advance(hour);
  machine += 5_000;
  expect(new Date(clock.now()).toISOString()).toBe('2026-11-22T11:00:05.000Z');
  expect(clock.ahead()).toBe(hour);
  expect(() => clock.advance(-1)).toThrow(RangeError);
  expect(() => clock.advance(Number.NaN)).toThrow(RangeError);
});

test.each([
  { at: '2026-11-22T08:59:30Z', zone: 'UTC', until: '2026-11-22T09:00:00Z' },
  { at: '2026-11-22T09:00:00Z', zone: 'UTC', until: '2026-11-23T09:00:00Z' },
  { at: '2026-11-22T12:00:00Z', zone: 'Asia/Kolkata', until: '2026-11-23T03:30:00Z' },
  // The night in which summer time ends has an extra hour.
  { at: '2026-10-24T09:30:00Z', zone: 'Europe/London', until: '2026-10-25T09:00:00Z' },
])('from $at in $zone the next 9:00 is at $until', ({ at, zone, until }) => {
  const now = Date.parse(at);
  expect(new Date(now + untilTimeOfDay(now, { zone, time: '9:00' })).toISOString()).toBe(
    new Date(until).toISOString(),
  );
});
