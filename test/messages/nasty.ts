import fc from 'fast-check';
import type { Change, ChangeVerb } from '../../src/core/model/change.ts';
import type { Filters, Target } from '../../src/core/model/subscription.ts';
import { anyCharacter } from '../support/any-character.ts';
import { happenedAt, makeChange } from './changes.ts';

/** What attackers and careless people put into names. */
const fragments = [
  '<!channel>',
  '<!here>',
  '<!everyone>',
  '<@U1>',
  '<#C1|x>',
  '<!subteam^S1>',
  '<!date^0^{time}|x>',
  '<https://evil.example|https://good.example>',
  'evil>|<',
  '&lt;!channel&gt;',
  '&amp;',
  '@channel',
  '@here',
  'dana@example.com',
  'https://evil.example',
  'javascript:alert(1)',
  'www.evil.example',
  '*',
  '_',
  '~',
  '`',
  '```',
  ':boom:',
  '> ',
  '\u202E',
  '\u2066',
  '\u2069',
  '\u200B',
  '\u200D',
  '\u00AD',
  '\uFEFF',
  '\u{E0041}',
  '\u0301'.repeat(40),
  '\uD83D',
  '\uDE00',
  '😀',
  '\u0000',
  '\u001B[31m',
  '\r\n',
  '\u2028',
  '\u3164',
  ' ',
  '|',
  'a',
  'Plan',
  'x'.repeat(130),
  '&'.repeat(130),
  '*'.repeat(130),
];

/** Any text, with every Unicode character and many of the worst ones. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.array(fc.constantFrom(...fragments), { maxLength: 12 }).map((parts) => parts.join('')),
);

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 });

const verbs: readonly ChangeVerb[] = [
  'added',
  'renamed',
  'moved',
  'renamed and moved',
  'session changed',
  'updated',
  'deleted',
  'other',
];
const kinds: readonly Change['kind'][] = [
  'project',
  'folder',
  'file',
  'session',
  'document',
  'item',
  'other',
];

/** Any change, with any texts in it. */
export const anyChange: fc.Arbitrary<Change> = fc.record({
  verb: fc.constantFrom(...verbs),
  kind: fc.constantFrom(...kinds),
  resourceType: anyText,
  eventType: anyText,
  name: maybe(anyText),
  previousName: maybe(anyText),
  folder: maybe(fc.array(anyText, { maxLength: 8 })),
  previousFolder: maybe(fc.array(anyText, { maxLength: 8 })),
  actorEmail: maybe(anyText),
  actorName: maybe(anyText),
  happenedAt: fc.oneof(fc.date(), fc.constant(new Date(Number.NaN))),
  eventId: maybe(fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String)),
  itemId: maybe(anyText),
  url: fc.constant(null),
  within: maybe(
    fc.record({
      kind: fc.constantFrom('project' as const, 'session' as const),
      id: anyText,
      name: maybe(anyText),
    }),
  ),
});

/** URLs of items, with any id in them. */
export const anyUrl: fc.Arbitrary<string | null> = maybe(
  fc.oneof(
    fc.webUrl({ validSchemes: ['https'] }),
    anyText.map((text) => `https://x.example/${encodeURIComponent(text.toWellFormed())}`),
  ),
);

/** Changes as they come in bursts: few people, few places, the same items again and again. */
export const burst: fc.Arbitrary<readonly Change[]> = fc.array(
  fc
    .record({
      verb: fc.constantFrom<ChangeVerb>('added', 'deleted', 'updated'),
      name: fc.constantFrom('a.pdf', 'b.pdf', 'c.pdf', null),
      folder: fc.constantFrom(['Plans'], ['Plans', 'Level 1']),
      actorName: fc.constantFrom('Dana Ek', 'Max Roth'),
      happenedAt: fc.nat(3_600).map((seconds) => new Date(happenedAt.getTime() + seconds * 1_000)),
    })
    .map((change) => makeChange({ ...change, actorEmail: `${change.actorName}@example.com` })),
  { maxLength: 60 },
);

/** Any resource that can be followed. */
export const anyTarget: fc.Arbitrary<Target> = fc.oneof(
  fc.record({ kind: fc.constant('project' as const), projectId: anyText }),
  fc.record({ kind: fc.constant('session' as const), sessionId: anyText }),
  fc.record({
    kind: fc.constantFrom('folder' as const, 'file' as const),
    projectId: anyText,
    itemId: anyText,
  }),
  fc.record({ kind: fc.constant('document' as const), sessionId: anyText, documentId: anyText }),
);

const people = fc.array(fc.oneof(fc.record({ email: anyText }), fc.record({ userId: anyText })), {
  maxLength: 50,
});

/** Filters up to their maximum size. */
export const anyFilters: fc.Arbitrary<Filters> = fc.record({
  only: fc.uniqueArray(fc.constantFrom('create' as const, 'update' as const, 'delete' as const)),
  paths: fc.array(anyText, { maxLength: 50 }),
  by: people,
  notBy: people,
});
