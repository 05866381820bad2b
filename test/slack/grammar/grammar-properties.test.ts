import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRequest } from '../../../src/core/model/format-request.ts';
import { countWildcards, maxWildcards } from '../../../src/core/model/glob.ts';
import { type Request, requestSchema } from '../../../src/core/model/request.ts';
import { daysOfWeek, eventTypes } from '../../../src/core/model/subscription.ts';
import {
  isEmail,
  isGlob,
  isGroupHandle,
  isItemId,
  isName,
  maxMuteMinutes,
} from '../../../src/core/model/typed-text.ts';
import {
  type CommandNames,
  commandLine,
  commands,
  defaultNames,
  verbs,
} from '../../../src/core/model/verbs.ts';
import { readCommandName } from '../../../src/slack/grammar/command-names.ts';
import { makeLine } from '../../../src/slack/grammar/line.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';
import { readLine } from '../../../src/slack/grammar/read-line.ts';
import { readWords } from '../../../src/slack/grammar/words.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { manyRuns } from '../../support/many-runs.ts';

const runs = { numRuns: manyRuns(1_000) };

/** Slack sends what the person sees, except for these three characters (Slack: escaping of text). */
function escapeAsSlackDoes(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Parses a command typed as it is shown: the name is split off and the rest is escaped as Slack does. */
function type(line: string, names: CommandNames) {
  const command = commands.find((name) => line === names[name] || line.startsWith(`${names[name]} `));
  const typed = command ?? 'plancast';
  return parseCommand(typed, escapeAsSlackDoes(line.slice(names[typed].length)));
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
          'ping',
          '<!subteam^S0TEAM|@team>',
          '<!channel>',
          '@sam',
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
      if (parsed.ok) return void requestSchema.parse(parsed.request);
      const { understood, leftOut, faults, choices, lacks } = parsed.mistake;
      for (const request of [understood, ...choices.map((choice) => choice.request)])
        if (request !== null) requestSchema.parse(request);
      // Something has to be said, and there has to be a way to go on.
      expect(leftOut !== '' || faults.length > 0 || choices.length > 0 || understood !== null).toBe(true);
      expect(understood !== null || faults.length > 0 || choices.length > 0).toBe(true);
      expect(understood === null && lacks === null && faults.length === 0 && choices.length < 2).toBe(false);
    }),
    runs,
  );
});

test('whatever a line offers is understood whole when it is typed as it is shown, and asks for the same', () => {
  fc.assert(
    fc.property(command, anyText, fc.constantFrom('', 'studio-'), (typed, text, prefix) => {
      const names = readCommandName(`/${prefix}subscribe`)?.names ?? defaultNames;
      const parsed = parseCommand(typed, text, { me: 'U0ME' });
      fc.pre(!parsed.ok);
      const { understood, faults, choices } = parsed.mistake;
      const offered = [
        ...(faults.length === 0 ? [understood] : []),
        ...choices.map(({ request }) => request),
      ];
      for (const request of offered.filter((each) => each !== null))
        expect(type(commandLine(formatRequest(request), names), names)).toEqual({ ok: true, request });
    }),
    runs,
  );
});

test('no word that is left out acts: without those words, a line is understood as the same, and whole', () => {
  const numRuns = manyRuns(5_000);
  let counted = 0;
  fc.assert(
    fc.property(command, anyText, (typed, text) => {
      const line = makeLine(readWords(text), { me: 'U0ME' });
      const { request, onlyShows, faults = [], choices = [] } = readLine(line, typed);
      if (request === null || onlyShows || faults.length > 0 || choices.length > 0) return;
      counted += line.leftOut.length;
      const without = line.leftOut
        .toReversed()
        .reduce((source, { start, end }) => `${source.slice(0, start)} ${source.slice(end)}`, text);
      const again = makeLine(readWords(without), { me: 'U0ME' });
      expect(readLine(again, typed)).toMatchObject({ request });
      expect(again.leftOut).toEqual([]);
    }),
    { numRuns },
  );
  expect(counted).toBeGreaterThan(numRuns / 50);
});

test('what is left out is named in words of the line, short enough to be shown', () => {
  fc.assert(
    fc.property(command, anyUnicode, (typed, text) => {
      const parsed = parseCommand(typed, text.repeat(3));
      fc.pre(!parsed.ok);
      expect(parsed.mistake.leftOut).not.toMatch(/\p{Cc}/u);
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
const within = fc.record({ kind: fc.constant('document' as const), sessionId: id, documentId: itemId });
const whole = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), projectId: id, itemId }),
  fc.record({ kind: fc.constant('folder' as const), projectId: id, itemId }),
  fc.record({ kind: fc.constant('project' as const), projectId: id }),
  fc.record({ kind: fc.constant('session' as const), sessionId: id }),
  fc.record({ kind: fc.constant('unknown' as const), id }),
);
const except = fc.uniqueArray(fc.constantFrom(...eventTypes), { minLength: 1 });
const toMe = fc.option(fc.constant(true as const), { nil: undefined });
const on = fc
  .uniqueArray(fc.constantFrom(...eventTypes), { minLength: 1 })
  .map((types) => eventTypes.filter((type) => types.includes(type)));
const ping = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), id: fc.stringMatching(/^[UW][A-Z0-9]{2,10}$/), on }),
  fc.record(
    {
      kind: fc.constant('group' as const),
      id: fc.stringMatching(/^S[A-Z0-9]{2,10}$/),
      on,
      name: fc.string({ unit: anyCharacter, maxLength: 12 }).filter(isGroupHandle),
    },
    { requiredKeys: ['kind', 'id', 'on'] },
  ),
);
const said = {
  filters: fc
    .record(
      {
        only: fc.uniqueArray(fc.constantFrom(...eventTypes)),
        paths: fc.uniqueArray(
          line.filter((glob) => isGlob(glob) && !/^!\s/.test(glob) && countWildcards(glob) <= maxWildcards),
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
      fc.record(
        {
          when: fc.constant('weekly' as const),
          day: fc.constantFrom(...daysOfWeek),
          at: fc.constantFrom('00:00', '16:30'),
          zone: fc.constantFrom('Europe/London', 'UTC'),
          except,
        },
        { requiredKeys: ['when', 'day', 'at'] },
      ),
    ),
    { nil: undefined },
  ),
  threads: fc.option(fc.boolean(), { nil: undefined }),
  name: fc.option(line.filter(isName), { nil: undefined }),
  ping: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(undefined, null) }, ping),
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

/** Whole options and others, each understood wherever it stands. */
const options = fc.constantFrom(
  ...[
    'only added',
    'in "Plans/**"',
    'in Docs/, *.pdf',
    'in Plans › Details',
    'not by <@U2|kim>',
    'by dana@example.com',
  ],
  ...['threads on', 'as "Harbour Tower"', 'as Tower', 'itself', 'to me', 'without deletes'],
  ...['ping <@U2|kim>', 'ping <!subteam^S0CREW|@crew> on added, deleted', 'ping me on all', 'ping off'],
);
const schedules = fc.constantFrom(
  ...[
    'digest daily 09:00',
    'digest hourly except deleted',
    'live',
    'daily',
    'weekdays 8am',
    '17:30 digest',
    'hourly',
  ],
);
/** Words that mean nothing wherever they stand, three letters away from every word of the grammar or like people's own. */
const leftOverWord = fc.oneof(
  fc.constantFrom(
    ...'monthly täglich um Uhr Level A-101 Floor tells when something is thx a please from weekend'.split(
      ' ',
    ),
    ...['@sam', '毎日', '8431-B', 'thanks!', '#plans'],
  ),
  fc.stringMatching(/^zqx[a-z]{0,8}$/),
);
const signs = fc.constantFrom('🙏', '—', '…', ':tada:', '!!', '🏗️', '-');
const target = fc.constantFrom(
  'project 412-873-550',
  '412-873-550',
  '(412 873 550)',
  'folder 412-873-550 F100',
  'session 731-450-286',
  'https://studio.example/projects/412873550',
);

test('what is understood and what is left out are the whole line, in whatever order it was typed', () => {
  const pieces = fc
    .tuple(
      target,
      fc.uniqueArray(options, { maxLength: 4, selector: (option) => option.split(' ')[0] }),
      fc.array(schedules, { maxLength: 1 }),
    )
    .map(([one, some, when]) => [one, ...some, ...when]);
  fc.assert(
    fc.property(
      pieces,
      fc.array(leftOverWord, { maxLength: 4 }),
      fc.array(signs, { maxLength: 2 }),
      fc.infiniteStream(fc.nat(1_000)),
      (understood, leftOver, dropped, order) => {
        const shuffled = [...understood, ...leftOver, ...dropped]
          .map((piece) => ({ piece, at: order.next().value ?? 0 }))
          .toSorted((one, other) => one.at - other.at)
          .map(({ piece }) => piece);
        const parsed = parseCommand('subscribe', shuffled.join(' '), { me: 'U0ME' });
        const alone = parseCommand('subscribe', understood.join(' '), { me: 'U0ME' });
        if (!alone.ok) throw new Error(`not understood: ${understood.join(' ')}`);
        const left = shuffled
          .filter((piece) => leftOver.includes(piece))
          .map((word) => word.replaceAll('"', ''));
        const mistake = {
          understood: alone.request,
          leftOut: left.join(' '),
          faults: [],
          choices: [],
          lacks: null,
        };
        expect(parsed).toEqual(left.length === 0 ? alone : { ok: false, mistake });
      },
    ),
    { numRuns: manyRuns(3_000) },
  );
});

test('a mute is offered only for a length of time that was typed, and never for what was left out', () => {
  fc.assert(
    fc.property(fc.array(leftOverWord, { minLength: 1, maxLength: 4 }), (words) => {
      const parsed = parseCommand('plancast', `mute ${words.join(' ')}`);
      expect(parsed).toMatchObject({ ok: false, mistake: { understood: null, choices: [] } });
    }),
    runs,
  );
});
