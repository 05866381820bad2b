import { expect, test } from 'vitest';
import { lastDigestHour } from '../../src/core/digest-hours.ts';

const daily = (at: string, zone: string) => ({ when: 'daily', at, zone }) as const;

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
    'a daily digest is due yesterday until then',
    daily('09:00', 'Europe/Berlin'),
    '2026-11-20T07:59:59Z',
    '2026-11-19T08:00:00Z',
  ],
  ['summer time moves it', daily('09:00', 'Europe/Berlin'), '2026-07-01T12:00:00Z', '2026-07-01T07:00:00Z'],
  [
    'a zone far ahead is on another day',
    daily('09:00', 'Pacific/Auckland'),
    '2026-11-20T21:00:00Z',
    '2026-11-20T20:00:00Z',
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

test('what is posted as it happens has no hour', () => {
  expect(lastDigestHour({ when: 'live' }, new Date())).toBeNull();
});
