import { expect, test } from 'vitest';
import {
  type CardSize,
  cardOf,
  type Joining,
  type LaneCard,
  nextEditAt,
  takesIn,
} from '../../../src/core/model/lane-card.ts';

const start = Date.parse('2026-11-20T09:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000);
const dana: Joining = { by: 'dana in the tower', rolls: true };
const size = (items: number, events = items, bytes = events * 1_000): CardSize => ({ items, events, bytes });
const posted = (items: number, joining = dana): LaneCard =>
  cardOf('live', joining, size(items), { ts: '1', at: at(0) });

test('a message takes in changes of the same person in the same project for 15 minutes after it last changed', () => {
  const card = posted(1);
  expect(takesIn(card, dana, size(2), at(14.9))).toBe(true);
  expect(takesIn(card, dana, size(2), at(15))).toBe(false);
  const edited = { ...card, touchedAt: at(14).toISOString() };
  expect(takesIn(edited, dana, size(2), at(28))).toBe(true);
  expect(takesIn(card, { ...dana, by: 'sam in the tower' }, size(2), at(1))).toBe(false);
  expect(takesIn(card, { ...dana, by: null }, size(2), at(1))).toBe(false);
  expect(takesIn(posted(1, { ...dana, by: null }), { ...dana, by: null }, size(2), at(1))).toBe(false);
});

test('a message takes in nothing once it is two hours old', () => {
  const card = { ...posted(1), touchedAt: at(119).toISOString() };
  expect(takesIn(card, dana, size(1, 40), at(119.9))).toBe(true);
  expect(takesIn(card, dana, size(1, 40), at(120))).toBe(false);
});

test('a message has room for 30 items', () => {
  const card = { ...posted(1), items: 29 };
  expect(takesIn(card, dana, size(30), at(1))).toBe(true);
  expect(takesIn(card, dana, size(31), at(1))).toBe(false);
});

test('renames and moves neither join a message nor let anything join theirs', () => {
  const renames = { ...dana, rolls: false };
  for (const items of [1, 10]) {
    expect(takesIn(posted(items), renames, size(items + 1), at(0.1))).toBe(false);
    expect(takesIn(posted(items, renames), dana, size(items + 1), at(0.1))).toBe(false);
  }
});

test('what must be noticed and summaries take in nothing', () => {
  for (const mode of ['notable', 'summary'] as const) {
    expect(takesIn({ ...posted(1), mode }, dana, size(2), at(1))).toBe(false);
  }
});

test('a burst goes on in its message, up to 5,000 changes or 6 MB, until nothing came for ten seconds', () => {
  const card = posted(10);
  expect(takesIn(card, dana, size(5_000), at(0.1))).toBe(true);
  expect(takesIn(card, dana, size(5_001), at(0.1))).toBe(false);
  expect(takesIn(card, dana, size(100, 100, 6_000_001), at(0.1))).toBe(false);
  expect(takesIn(card, dana, size(31), at(0.2))).toBe(false);
  expect(takesIn(posted(9), dana, size(31), at(0.1))).toBe(false);
});

test('a message is edited once in five seconds at most', () => {
  expect(nextEditAt(posted(1))).toEqual(new Date(start + 5_000));
});

test('a message of an older release takes in nothing', () => {
  const { by: _by, rolls: _rolls, items: _items, isBulk: _bulk, ...old } = posted(1);
  expect(takesIn(old, dana, size(2), at(1))).toBe(false);
});
