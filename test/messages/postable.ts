import fc from 'fast-check';
import { expect } from 'vitest';
import { validateBlocks } from '../../sandbox/slack/block-kit.ts';
import type { Activity } from '../../src/messages/activity/activity.ts';
import { deeds } from '../../src/messages/activity/deeds.ts';
import { charactersOf, limits } from '../../src/messages/text/limits.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { bareAmpersandsIn, markupIn, unseenIn } from './as-slack-reads.ts';
import { now } from './changes.ts';
import { anyChange, anyUrl, burst } from './nasty.ts';

const anyLinkedChange = fc.tuple(anyChange, anyUrl).map(([change, url]) => ({ ...change, url }));
/** Any activity message of up to `most` changes: many things at once, and the same few again and again. */
export const anyActivity = (most: number): fc.Arbitrary<Activity> =>
  fc.record({
    changes: fc.oneof(
      fc.array(anyLinkedChange, { minLength: 1, maxLength: most }),
      burst.filter(({ length }) => length > 0),
    ),
    now: fc.constant(now),
    mode: fc.constantFrom('live' as const, 'summary' as const),
    skipped: fc.nat(5_000),
    endedSubscription: fc.boolean(),
    because: fc.constantFrom('digest' as const, 'muted' as const, undefined),
    since: fc.option(fc.date()),
    showAllValue: fc.constant('v'),
  });

/** The only markup of a message is our own: dates, channels, and links that the admin's addresses were made into. */
const ours = /^<!date\^\d+\^\{[^|<>]*\|[^<>|]* UTC>$|^<#[A-Z0-9]{2,30}>$|^<https:\/\/[^\s<>|]+\|[^<>|]*>$/;
/** Our signs, some of which hold a variation selector that nobody sees. */
const signsOfOurs = new RegExp(
  Object.values(deeds)
    .map(({ sign }) => sign)
    .join('|'),
  'gu',
);

/** Nothing in these texts is markup but ours, and nothing unseen is in them: no bidi control either. */
export function expectSafe(texts: readonly string[]): void {
  for (const text of texts) {
    expect(markupIn(text).filter((markup) => !ours.test(markup))).toEqual([]);
    expect(bareAmpersandsIn(text)).toEqual([]);
    expect(unseenIn(text.replace(signsOfOurs, ''))).toEqual([]);
  }
}

/** A message that Slack takes, of which nothing is markup but ours. */
export function expectPostable({ text, blocks }: Message): void {
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeLessThanOrEqual(limits.text);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length + charactersOf(blocks)).toBeLessThanOrEqual(limits.messageCharacters);
  expectSafe([text, ...textsOf(blocks, 'mrkdwn')]);
  for (const plain of textsOf(blocks, 'plain_text')) expect(unseenIn(plain)).toEqual([]);
}

/** The texts of all text objects of a type in a message or form. */
export function textsOf(value: unknown, type: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own =
    'type' in value && value.type === type && 'text' in value && typeof value.text === 'string'
      ? [value.text]
      : [];
  return [...own, ...Object.values(value).flatMap((inner) => textsOf(inner, type))];
}
