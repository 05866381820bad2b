import fc from 'fast-check';
import { expect } from 'vitest';
import { validateBlocks } from '../../sandbox/slack/block-kit.ts';
import type { Mentioned, Ping } from '../../src/core/model/subscription.ts';
import { type Activity, renderActivity } from '../../src/messages/activity/activity.ts';
import { deeds } from '../../src/messages/activity/deeds.ts';
import { charactersOf, limits } from '../../src/messages/text/limits.ts';
import type { Message } from '../../src/messages/text/message.ts';
import { bareAmpersandsIn, markupIn, unseenIn } from './as-slack-reads.ts';
import { now } from './changes.ts';
import { anyChange, anyFilters, anyTarget, anyText, anyUrl, burst } from './nasty.ts';

const anyLinkedChange = fc.tuple(anyChange, anyUrl).map(([change, url]) => ({ ...change, url }));
/** Any activity message with up to `most` changes: of many items, and of a few items again and again. */
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
  });

/** The only markup in a message is our own: dates, channels, and links made from the admin's URLs. */
const ours = /^<!date\^\d+\^\{[^|<>]*\|[^<>|]* UTC>$|^<#[A-Z0-9]{2,30}>$|^<https:\/\/[^\s<>|]+\|[^<>|]*>$/;
/** Our signs, some of which contain an invisible variation selector. */
const signsOfOurs = new RegExp(
  Object.values(deeds)
    .map(({ sign }) => sign)
    .join('|'),
  'gu',
);

/** Expects texts without markup other than ours and without invisible characters, including bidirectional controls. */
export function expectSafe(texts: readonly string[]): void {
  for (const text of texts) {
    expect(markupIn(text).filter((markup) => !ours.test(markup))).toEqual([]);
    expect(bareAmpersandsIn(text)).toEqual([]);
    expect(unseenIn(text.replace(signsOfOurs, ''))).toEqual([]);
  }
}

/** Expects a message that Slack accepts and that has no markup other than ours. */
export function expectPostable({ text, blocks }: Message): void {
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  expect(text.length).toBeLessThanOrEqual(limits.text);
  expect(text.length).toBeGreaterThan(0);
  expect(text.length + charactersOf(blocks)).toBeLessThanOrEqual(limits.messageCharacters);
  expectSafe([text, ...textsOf(blocks, 'mrkdwn')]);
  for (const plain of textsOf(blocks, 'plain_text')) expect(unseenIn(plain)).toEqual([]);
}

/** Whom a subscription mentions, with names and ids that look like something else. */
const anyPing: fc.Arbitrary<Ping> = fc.record(
  {
    kind: fc.constantFrom('user' as const, 'group' as const),
    id: fc.oneof(fc.constantFrom('U0SAM', 'S0TEAM', '!channel'), anyText),
    on: fc.uniqueArray(fc.constantFrom('create' as const, 'update' as const, 'delete' as const), {
      minLength: 1,
    }),
    name: anyText,
  },
  { requiredKeys: ['kind', 'id', 'on'] },
);

/** The settings of any subscription. */
export const anySettings = fc.record({
  filters: anyFilters,
  delivery: fc.oneof(
    fc.constant({ when: 'live' as const }),
    fc.record({ when: fc.constant('daily' as const), at: anyText, zone: anyText }),
  ),
  threads: fc.boolean(),
  ping: fc.option(anyPing),
  names: fc.oneof(
    fc.constant(undefined),
    anyText.map((name) => new Map([['U0SAM', name]])),
  ),
  comprehensive: fc.boolean(),
});

/** What any subscription follows. */
export const anySubscribed = fc.record({
  target: anyTarget,
  name: fc.option(anyText),
  comprehensive: fc.boolean(),
});

/** People and groups by their ids, and what only looks like them. */
export const anyMentioned: fc.Arbitrary<Mentioned> = fc.record({
  kind: fc.constantFrom('user' as const, 'group' as const),
  id: fc.oneof(fc.constantFrom('U0SAM', 'W0LEE', 'S0TEAM', '!channel', 'here', 'U1><!channel>'), anyText),
});

/** Expects that a live message mentions whom it is told to, once, and a summary or an id that is none nobody. */
export function expectOnlyPing(activity: Activity, mentioned: Mentioned): void {
  const { text, blocks } = renderActivity({ ...activity, mentioned: [mentioned] });
  expect(validateBlocks(blocks, 'message')).toEqual([]);
  const pings = [text, ...textsOf(blocks, 'mrkdwn')]
    .flatMap(markupIn)
    .filter((markup) => /^<[@!]/.test(markup) && !markup.startsWith('<!date^'));
  const isId = (mentioned.kind === 'user' ? /^[UW][A-Z0-9]{2,29}$/ : /^S[A-Z0-9]{2,29}$/).test(mentioned.id);
  const chosen = mentioned.kind === 'user' ? `<@${mentioned.id}>` : `<!subteam^${mentioned.id}>`;
  expect(pings).toEqual(activity.mode === 'live' && isId ? [chosen] : []);
}

/** Returns the texts of all text objects of a type in a message or form. */
export function textsOf(value: unknown, type: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own =
    'type' in value && value.type === type && 'text' in value && typeof value.text === 'string'
      ? [value.text]
      : [];
  return [...own, ...Object.values(value).flatMap((inner) => textsOf(inner, type))];
}
