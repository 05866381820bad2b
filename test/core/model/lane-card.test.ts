import { expect, test } from 'vitest';
import {
  cardOf,
  cardWith,
  eventsThatFit,
  type LaneCard,
  nextEditAt,
  type PendingPost,
  untouchedUntil,
} from '../../../src/core/model/lane-card.ts';

const start = Date.parse('2026-11-20T09:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);
const pending = (events: number, more = {}): PendingPost => ({
  mode: 'live',
  because: null,
  events,
  bytes: events * 1_000,
  threadTs: null,
  mustBeNoticed: false,
  ...more,
});
const takesInto = (card: LaneCard, post: PendingPost, now: Date) => eventsThatFit(post, card, now) > 0;
const posted = (before: LaneCard | null, events: number, seconds: number) =>
  cardOf(before, pending(events), { ts: String(seconds), at: at(seconds) });

test('a few changes now and then get a message each', () => {
  let card = posted(null, 1, 0);
  for (let seconds = 3; seconds < 60; seconds += 3) {
    expect(nextEditAt(card, at(seconds))).toBeNull();
    card = posted(card, 2, seconds);
  }
});

test('ten changes in one message are a burst, and changes that follow soon are added to it', () => {
  const card = posted(null, 10, 0);
  expect(nextEditAt(card, at(1))).toEqual(at(3));
  expect(takesInto(card, pending(1), at(2))).toBe(false);
  expect(takesInto(card, pending(1), at(3))).toBe(true);
});

test('eight messages within two seconds of each other are a burst, too', () => {
  let card = posted(null, 1, 0);
  for (let seconds = 1; seconds < 7; seconds += 1) card = posted(card, 1, seconds);
  expect(nextEditAt(card, at(7))).toBeNull();
  card = posted(card, 1, 7);
  expect(nextEditAt(card, at(8))).toEqual(at(10));
});

test('five quiet seconds end a burst', () => {
  const card = cardWith(posted(null, 10, 0), pending(5), at(3));
  expect(card.events).toBe(15);
  expect(nextEditAt(card, at(8))).toEqual(at(6));
  expect(nextEditAt(card, at(8.1))).toBeNull();
});

test('a card is not edited forever, nor to show more than 5,000 changes', () => {
  let card = posted(null, 10, 0);
  for (let seconds = 3; seconds <= 600; seconds += 3) card = cardWith(card, pending(1), at(seconds));
  expect(nextEditAt(card, at(601))).toBeNull();
  const full = posted(null, 4_999, 0);
  expect(eventsThatFit(pending(2), full, at(3))).toBe(1);
  expect(nextEditAt(cardWith(full, pending(1), at(3)), at(4))).toBeNull();
});

test('final notices, thread replies and summaries are not edited into a card', () => {
  const card = posted(null, 10, 0);
  expect(takesInto(card, pending(1, { mustBeNoticed: true }), at(3))).toBe(false);
  expect(takesInto(card, pending(1, { threadTs: '1.2' }), at(3))).toBe(false);
  expect(takesInto(card, pending(1, { mode: 'summary' }), at(3))).toBe(false);
});

test('an edit whose outcome is unknown is repeated, however long that takes', () => {
  const card = untouchedUntil(posted(null, 10, 0), at(120));
  expect(takesInto(card, pending(1), at(120))).toBe(true);
});

test('a change that must be noticed is never edited into another message, and nothing is edited into its message', () => {
  const burst = posted(null, 10, 0);
  expect(takesInto(burst, pending(1, { mode: 'notable' }), at(3))).toBe(false);
  const notable = cardOf(burst, pending(10, { mode: 'notable' }), { ts: '4', at: at(1) });
  expect(nextEditAt(notable, at(2))).toBeNull();
  expect(takesInto(notable, pending(1), at(4))).toBe(false);
  expect(takesInto(notable, pending(1, { mode: 'notable' }), at(4))).toBe(false);
});

test('a summary only takes in changes that waited for the same reason', () => {
  const digest = { mode: 'summary' as const, because: 'digest' as const };
  const card = cardOf(null, pending(10, digest), { ts: '1', at: at(0) });
  expect(takesInto(card, pending(1, digest), at(3))).toBe(true);
  expect(takesInto(card, pending(1, { ...digest, because: 'muted' }), at(3))).toBe(false);
});

test('a message with 6 MB of changes, such as files with very long names, takes no more', () => {
  const burst = cardOf(null, pending(100, { bytes: 4_000_000 }), { ts: '1', at: at(0) });
  expect(takesInto(burst, pending(1), at(3))).toBe(true);
  const full = cardWith(burst, pending(50, { bytes: 2_000_000 }), at(3));
  expect(nextEditAt(full, at(6))).toBeNull();
});
