import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CommandNames } from '../../../src/core/model/commands.ts';
import { commandLine, commands, defaultNames } from '../../../src/core/model/commands.ts';
import { formatRequest } from '../../../src/core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../../src/core/model/glob.ts';
import type { Request } from '../../../src/core/model/request.ts';
import { requestSchema } from '../../../src/core/model/request.ts';
import { eventTypes } from '../../../src/core/model/subscription.ts';
import { isEmail, isGlob, isItemId, isName, maxMuteMinutes } from '../../../src/core/model/typed-text.ts';
import { verbs } from '../../../src/core/model/verbs.ts';
import { brandedNames, readCommandName } from '../../../src/slack/grammar/command-names.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';
import { readWords } from '../../../src/slack/grammar/words.ts';
import { anyCharacter } from '../../support/any-character.ts';

const runs = { numRuns: 1_000 };

/** Slack sends what the person sees, except for these three characters (Slack: escaping of text). */
function escapeAsSlackDoes(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Parses a command typed as it is shown: the name is split off and the rest is escaped as Slack does. */
function type(line: string, names: CommandNames) {
  const command = commands.find((name) => line === names[name] || line.startsWith(`${names[name]} `));
  const typed = command ?? 'plancast';
  return parseCommand(typed, escapeAsSlackDoes(line.slice(names[typed].length)), names);
}

const command = fc.constantFrom(...commands);
const anyUnicode = fc.string({ unit: anyCharacter, maxLength: 200 });
/** Words and characters that mean something, in any order. */
const almostTyped = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          'subscribe',
          'project',
          'folder',
          'file',
          'session',
          'document',
          '123-456-789',
          '123',
          '456789',
          'itself',
        ],
        ...[
          'only',
          'create,',
          'updte',
          'in',
          '"',
          '“',
          '”',
          "'",
          '`',
          ',',
          '!',
          '{',
          '}',
          '**',
          'by',
          'not',
          'and',
          'all',
        ],
        ...[
          'dana@example.com',
          '<@U1|x>',
          '<mailto:a@b.c|a@b.c>',
          '<https://x.y/projects/123456789>',
          '<',
          '>',
          '&amp;',
        ],
        ...[
          'digest',
          'daily',
          '9:00',
          'pm',
          'hourly',
          'live',
          'threads',
          'on',
          'off',
          'anywhere',
          'anyone',
          'nobody',
        ],
        ...[
          'mute',
          '2h',
          'link',
          'ABC234',
          'help',
          'hepl',
          'unsubscribe',
          'why',
          '\n',
          '\u00A0',
          '\u200B',
          '\uD800',
          '\0',
        ],
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    ),
    { maxLength: 14 },
  )
  .chain((words) => fc.constantFrom(words.join(' '), words.join('')));
const meWords = fc.constantFrom('to me', 'me', 'weekdays', 'except', 'deleted', 'as', 'Plans');
const anyText = fc.oneof(
  anyUnicode,
  almostTyped,
  fc.tuple(almostTyped, meWords, almostTyped).map((parts) => parts.join(' ')),
);

test('no text breaks the grammar, and every answer is complete', () => {
  fc.assert(
    fc.property(command, anyText, (typed, text) => {
      const parsed = parseCommand(typed, text);
      const whole = parsed.ok
        ? requestSchema.safeParse(parsed.request).success
        : parsed.mistake.expected !== '';
      expect(whole).toBe(true);
    }),
    runs,
  );
});

test('the example of every mistake works when it is typed', () => {
  fc.assert(
    fc.property(command, anyText, fc.constantFrom('', 'studio-'), (typed, text, prefix) => {
      const names = readCommandName(`/${prefix}subscribe`)?.names ?? defaultNames;
      const parsed = parseCommand(typed, text, names);
      fc.pre(!parsed.ok);
      const shown = typed === 'plancast' ? brandedNames(names.plancast) : names;
      expect(parsed.mistake.example.startsWith(typed === 'plancast' ? names.plancast : '/')).toBe(true);
      expect(type(parsed.mistake.example, shown)).toMatchObject({ ok: true });
    }),
    runs,
  );
});

test('a mistake names a word of the typed text, short enough to be shown', () => {
  fc.assert(
    fc.property(command, anyUnicode, (typed, text) => {
      const parsed = parseCommand(typed, text.repeat(3));
      fc.pre(!parsed.ok);
      const { word } = parsed.mistake;
      expect(Array.from(word ?? '').length).toBeLessThanOrEqual(81);
      expect(word ?? '').not.toMatch(/\p{Cc}/u);
    }),
    runs,
  );
});

const id = fc.stringMatching(/^\d{3}-\d{3}-\d{3}$/);
/** Texts that survive the cleaning of typed text: no invisible characters, and only plain spaces. */
const line = fc
  .oneof(
    fc.string({ unit: anyCharacter, maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom(...'aZ9 /*!{},"”“\'`&<>@|#;:.-_only'),
      maxLength: 20,
    }),
  )
  .map((text) =>
    text
      .toWellFormed()
      .replace(
        /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]|\p{Cc}/gu,
        '',
      )
      .replace(/\s/g, ' ')
      .trim(),
  );
const itemId = line.map((text) => text.replaceAll('/', '')).filter(isItemId);
const email = fc
  .oneof(fc.emailAddress(), fc.constantFrom("o'neil@example.com", '`a`@b', 'é&à@ex.org', '”@x'))
  .filter(isEmail);
const person = fc.oneof(
  email.map((address) => ({ email: address })),
  fc.stringMatching(/^[UW][A-Z0-9]{1,10}$/).map((userId) => ({ userId })),
);
const people = fc.uniqueArray(person, { maxLength: 4, selector: (one) => JSON.stringify(one).toLowerCase() });
const within = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), projectId: id, itemId }),
  fc.record({ kind: fc.constant('document' as const), sessionId: id, documentId: itemId }),
);
const whole = fc.oneof(
  fc.record({ kind: fc.constant('folder' as const), projectId: id, itemId }),
  fc.record({ kind: fc.constant('project' as const), projectId: id }),
  fc.record({ kind: fc.constant('session' as const), sessionId: id }),
  fc.record({ kind: fc.constant('unknown' as const), id }),
);
const except = fc.uniqueArray(fc.constantFrom(...eventTypes), { minLength: 1 });
const toMe = fc.option(fc.constant(true as const), { nil: undefined });
const said = {
  filters: fc
    .record(
      {
        only: fc.uniqueArray(fc.constantFrom(...eventTypes)),
        paths: fc.uniqueArray(
          line.filter((glob) => isGlob(glob) && countWildcards(glob) <= maxWildcards),
          { maxLength: 4 },
        ),
        by: people,
        notBy: people,
      },
      { requiredKeys: [] },
    )
    .filter(({ by = [], notBy = [] }) => {
      const keys = [...by, ...notBy].map((one) => JSON.stringify(one).toLowerCase());
      return new Set(keys).size === keys.length;
    }),
  when: fc.option(
    fc.oneof(
      fc.constant({ when: 'live' as const }),
      fc.record({ when: fc.constant('hourly' as const), except }, { requiredKeys: ['when'] }),
      fc.record(
        {
          when: fc.constant('daily' as const),
          at: fc
            .tuple(fc.nat({ max: 23 }), fc.nat({ max: 59 }))
            .map((clock) => clock.map((part) => String(part).padStart(2, '0')).join(':')),
          weekdays: fc.constant(true as const),
          zone: fc.constantFrom('Europe/London', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'UTC'),
          except,
        },
        { requiredKeys: ['when', 'at'] },
      ),
    ),
    { nil: undefined },
  ),
  threads: fc.option(fc.boolean(), { nil: undefined }),
  name: fc.option(line.filter(isName), { nil: undefined }),
  personal: toMe,
};
const act = fc.constant('subscribe' as const);
const simpleRequests: Request[] = [
  { act: 'open-form' },
  { act: 'unsubscribe-list' },
  { act: 'unsubscribe-all' },
  { act: 'list' },
  { act: 'help' },
  { act: 'link' },
  { act: 'unlink' },
  { act: 'status' },
  { act: 'settings' },
  { act: 'unmute' },
  { act: 'doctor' },
  { act: 'why' },
  { act: 'list', personal: true },
  { act: 'open-form', personal: true },
];
const request: fc.Arbitrary<Request> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ act, target: whole, comprehensive: fc.boolean(), ...said }) },
  { weight: 5, arbitrary: fc.record({ act, target: within, comprehensive: fc.constant(false), ...said }) },
  fc.record({ act: fc.constant('unsubscribe' as const), target: fc.oneof(whole, within), personal: toMe }),
  fc.record({ act: fc.constant('help' as const), topic: fc.constantFrom(...verbs) }),
  fc.record({ act: fc.constant('link' as const), code: fc.stringMatching(/^[A-HJ-NP-Z2-9]{6}$/) }),
  fc.record({ act: fc.constant('mute' as const), minutes: fc.integer({ min: 1, max: maxMuteMinutes }) }),
  fc.constantFrom(...simpleRequests),
);

test('a request in its own words, typed again, is the same request', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const words = escapeAsSlackDoes(formatRequest(asked));
      expect(parseCommand('plancast', words)).toEqual({ ok: true, request: asked });
    }),
    runs,
  );
});

test('a request in the short command, typed again, is the same request', () => {
  fc.assert(
    fc.property(request, (asked) => {
      expect(type(commandLine(formatRequest(asked), defaultNames), defaultNames)).toEqual({
        ok: true,
        request: asked,
      });
    }),
  );
});

test('a stored request is read back unchanged', () => {
  fc.assert(
    fc.property(request, (asked) => {
      expect(requestSchema.parse(JSON.parse(JSON.stringify(asked)))).toEqual(asked);
    }),
  );
});

test.each([
  ['an id in another form', { act: 'unsubscribe', target: { kind: 'project', projectId: '123456789' } }],
  [
    'an item id that is a parent path',
    { act: 'unsubscribe', target: { kind: 'file', projectId: '123-456-789', itemId: '..' } },
  ],
  [
    'an invalid time',
    {
      act: 'subscribe',
      target: { kind: 'unknown', id: '123-456-789' },
      comprehensive: true,
      filters: {},
      when: { when: 'daily', at: '24:00' },
    },
  ],
  ['a mute beyond the maximum', { act: 'mute', minutes: maxMuteMinutes + 1 }],
  ['an unknown act', { act: 'drop' }],
])('%s is not accepted as a stored request', (_, stored) => {
  expect(requestSchema.safeParse(stored).success).toBe(false);
});

/** Whole options and parts of them: wherever a left-over word stands, it is no value of theirs. */
const options = fc.constantFrom(
  ...[
    'only added',
    'in "Plans/**"',
    'in Plans',
    'in Docs/, *.pdf',
    'by dana@example.com',
    'not by <@U2|kim>',
  ],
  ...['digest daily 09:00', 'digest hourly except deleted', 'threads on', 'as "Harbour Tower"', 'as Tower'],
  ...[
    'itself',
    'live',
    'daily',
    'hourly',
    '9:00',
    'every day',
    'weekdays',
    'digest',
    'summary',

    'to me',
  ],
);
const leftOverWord = fc.oneof(
  fc.constantFrom(
    ...'weekly Monday mondays täglich um Uhr Level A-101 Floor pings when something is thx a'.split(' '),
    ...['@sam', '🙏', '毎日', '8431-B'],
  ),
  // Three letters away from every word of the grammar.
  fc.stringMatching(/^zqx[a-z]{0,8}$/),
);
const target = fc.constantFrom(
  'project 412-873-550',
  '412-873-550',
  'folder 412-873-550 F100',
  'session 731-450-286',
);

test('a left-over word never becomes part of what is offered, and is shown as left out', () => {
  const lineWithout = fc.tuple(
    fc.constantFrom<['subscribe' | 'unsubscribe', boolean]>(['subscribe', true], ['unsubscribe', false]),
    target,
    fc.array(options, { maxLength: 3 }),
    fc.array(fc.tuple(leftOverWord, fc.nat(4)), { minLength: 1, maxLength: 5 }),
  );
  let offered = 0;
  fc.assert(
    fc.property(lineWithout, ([[verb, takesOptions], resource, typedOptions, leftOver]) => {
      const pieces = [resource, ...(takesOptions ? typedOptions : [])];
      // The first word would be the id of the item, or the end of the id.
      for (const [word, at] of leftOver) pieces.splice(Math.max(1, at), 0, word);
      const text = pieces.join(' ');
      const parsed = parseCommand(verb, text, defaultNames, 'U0ME');
      expect(parsed.ok).toBe(false);
      if (parsed.ok || parsed.mistake.correction === null) return;
      offered += 1;
      const { example, correction, leftOut } = parsed.mistake;
      const words = readWords(example).map((word) => word.text);
      const understood = readWords(formatRequest(correction)).map((word) => word.text);
      for (const [word] of leftOver) {
        expect(leftOut).toContain(word);
        expect([...words, ...understood]).not.toContain(word);
      }
      for (const option of ['in', 'as', 'by', 'only', 'digest', 'daily']) {
        const typedTimes = words.filter((word) => word === option).length;
        expect(typedTimes).toBeLessThanOrEqual(Math.max(1, text.split(option).length - 1));
      }
    }),
    { numRuns: 3_000 },
  );
  expect(offered).toBeGreaterThan(500);
});

test('a mute is offered only if every word of the line is about time', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('2h', '30 minutes', 'for 2h', '2', 'until tomorrow', ''),
      // An emoji says nothing that could be lost.
      leftOverWord.filter((word) => word !== '🙏'),
      fc.boolean(),
      (duration, word, isFirst) => {
        const parsed = parseCommand(
          'plancast',
          `mute ${isFirst ? `${word} ${duration}` : `${duration} ${word}`}`,
        );
        expect(parsed).toMatchObject({ ok: false, mistake: { correction: null } });
      },
    ),
    runs,
  );
});
