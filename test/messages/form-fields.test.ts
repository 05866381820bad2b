import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../sandbox/slack/block-kit.ts';
import { initially } from '../../sandbox/slack/element-values.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import { countWildcards, maxWildcards } from '../../src/core/model/glob.ts';
import type { SubscribeRequest, TypedWhen } from '../../src/core/model/request.ts';
import type { PersonName } from '../../src/core/model/subscription.ts';
import { isEmail, isGlob } from '../../src/core/model/typed-text.ts';
import { type Form, formErrors, readFields } from '../../src/messages/subscribing/form-fields.ts';
import { subscribeForm } from '../../src/messages/subscribing/subscribe-form.ts';
import type { FieldState } from '../../src/messages/text/modal.ts';
import { parseCommand } from '../../src/slack/grammar/parse-command.ts';
import { newForm, projectStart } from '../support/form-context.ts';

/** Opens the form and sends it, with these fields instead of what it was opened with. */
function sent(opened: Partial<Form>, entered: Readonly<Record<string, FieldState>> = {}) {
  const form = { ...newForm, more: true, ...opened };
  const recognized = { target: form.start.target, name: null };
  const view = subscribeForm(form, { recognized, isEdit: false, hasBack: false, metadata: '' });
  expect(validateView(view)).toEqual([]);
  const shown = new Map<string, FieldState>(
    findElements(view.blocks).map(({ blockId, element }) => [blockId, initially(element)]),
  );
  return readFields(form, (name) => entered[name] ?? shown.get(name));
}
const picked = (...values: string[]) => ({ selected_options: values.map((value) => ({ value })) });
const chosen = (value: string) => ({ selected_option: { value } });
const unknown = { ...projectStart, target: { kind: 'unknown', id: '123-456-789' } } as const;
const people = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@example.com`);

test.each<[field: string, mistake: string, entered: FieldState, error: RegExp, opened?: Partial<Form>]>([
  ['channel', 'no channel', { selected_conversation: null }, /^Choose a channel\.$/, { channelId: null }],
  [
    'kind',
    'a bare id of which nobody said what it is',
    {},
    /^Choose what 123-456-789 is\.$/,
    { start: unknown },
  ],
  [
    'at',
    'a daily digest at no time',
    { selected_time: null },
    /^Choose a time for the digest\.$/,
    { start: { ...projectStart, when: { when: 'daily', at: '09:00' } } },
  ],
  [
    'paths',
    'a sign alone',
    { value: 'Plans\n!' },
    /“!” doesn’t work here. Enter the name of a folder or file/,
  ],
  ['paths', 'too many wildcards', { value: `ok\n${'*a'.repeat(11)}` }, /at most 10 wildcards/],
  ['paths', 'a shortened path', { value: '…/Level 1' }, /the full path instead of the shortened one/],
  ['paths', 'a path that is too long', { value: `ok\n${'x'.repeat(4_001)}` }, /at most 4,000 characters/],
  ['paths', 'too many paths', { value: people(51).join('\n') }, /at most 50 paths/],
  ['people', 'too many people', picked(...people(51)), /^Choose at most 50 people\.$/],
  [
    'pingOn',
    'a mention about nothing',
    picked(),
    /^Choose at least one kind of change\.$/,
    { start: { ...projectStart, ping: { kind: 'user', id: 'U12AB', on: ['delete'] } } },
  ],
  ['name', 'a name that is too long', { value: 'x'.repeat(101) }, /a name of at most 100 characters/],
  ['name', 'a name of characters that nobody sees', { value: '\u{E0020}' }, /^Enter a name/],
])('at its field %s: %s', (field, _, entered, error, opened = {}) => {
  const { faults } = sent(opened, { [field]: entered });
  const errors = formErrors(faults);
  expect(Object.keys(errors)).toEqual([field]);
  expect(errors[field]).toMatch(error);
});

test('an error is never longer than Slack shows, whatever was typed', () => {
  const { faults } = sent({}, { paths: { value: `\u202E<!channel>${'!'.repeat(3_000)}/…/` } });
  for (const words of Object.values(formErrors(faults))) {
    expect(words.length).toBeLessThanOrEqual(300);
    expect(words).not.toContain('\u202E');
  }
});

test.each(['project', 'session'] as const)('a bare id can be chosen to be a %s', (kind) => {
  expect(sent({ start: unknown }, { kind: chosen(kind) }).request.target).toMatchObject({ kind });
});

test.each<[FieldState, FieldState, FieldState, TypedWhen]>([
  [chosen('live'), {}, {}, { when: 'live' }],
  [chosen('hourly'), {}, {}, { when: 'hourly' }],
  [chosen('daily'), { selected_time: '07:30' }, {}, { when: 'daily', at: '07:30' }],
  [chosen('weekdays'), { selected_time: '07:30' }, {}, { when: 'daily', at: '07:30', weekdays: true }],
  [
    chosen('weekly'),
    { selected_time: '16:30' },
    chosen('friday'),
    { when: 'weekly', day: 'friday', at: '16:30' },
  ],
])('when to post is chosen with its time and day: %j %j %j', (when, at, day, expected) => {
  expect(sent({}, { when, at, day }).request.when).toEqual(expected);
  if (expected.when === 'live') return;
  expect(sent({}, { when, at, day, except: picked('delete') }).request.when).toEqual({
    ...expected,
    except: ['delete'],
  });
});

test('folders chosen by name and typed patterns are combined, without duplicates', () => {
  const folders = [
    { id: 'F1', path: ['Plans'] },
    { id: 'F2', path: ['Details'] },
  ];
  const { request } = sent(
    { folders },
    { folders: picked('Plans/**', 'Details/**'), paths: { value: '!**/*.bak\nPlans/**\n' } },
  );
  expect(request.filters.paths).toEqual(['Plans/**', 'Details/**', '!**/*.bak']);
});

test('folders are typed one a line, with or without quotes, and an empty field means anywhere', () => {
  const value =
    ' Plans/Level 1/** \r\n\n"Docs/**"\u2028!“Old <1> & 2/**”\u2029„Pläne“\n«Étage»\n3"pipes"\n"Old" plans';
  expect(sent({}, { paths: { value } }).request.filters.paths).toEqual([
    'Plans/Level 1/**',
    'Docs/**',
    '!Old <1> & 2/**',
    'Pläne',
    'Étage',
    '3"pipes"',
    '"Old" plans',
  ]);
  expect(sent({}, { paths: { value: ' \n ' } }).request.filters.paths).toEqual([]);
});

test('the people in the picker are those whose changes are posted, or all but those', () => {
  const both = picked('U12AB', 'sam@example.com', 'neither');
  const list = [{ userId: 'U12AB' }, { email: 'sam@example.com' }];
  expect(sent({}, { people: both }).request.filters).toMatchObject({ by: list, notBy: [] });
  expect(sent({}, { people: both, whose: chosen('notBy') }).request.filters).toMatchObject({
    by: [],
    notBy: list,
  });
});

test('one person is mentioned about the chosen events, and a group that was typed stays', () => {
  const sam = { kind: 'user', id: 'U12AB', on: ['delete'] } as const;
  expect(sent({}, { ping: { selected_user: 'U12AB' } }).request.ping).toEqual(sam);
  const more = { ping: { selected_user: 'U12AB' }, pingOn: picked('create', 'delete') };
  expect(sent({}, more).request.ping).toEqual({ ...sam, on: ['create', 'delete'] });
  const start = { ...projectStart, ping: sam };
  expect(sent({ start }, { ping: { selected_user: null } }).request.ping).toBeNull();
  const group = { kind: 'group', id: 'S12AB', name: 'site-team', on: ['update'] } as const;
  expect(sent({ start: { ...projectStart, ping: group } }).request.ping).toEqual(group);
});

test('lists that cannot be edited in a field stay as they are', () => {
  const filters = {
    paths: Array.from({ length: 50 }, (_, index) => `${'Plans/'.repeat(20)}${index}/**`),
    by: [{ email: `${'x'.repeat(80)}@example.com` }],
    notBy: [],
  };
  expect(sent({ start: { ...projectStart, filters } }).request.filters).toMatchObject(filters);
  const mixed = { by: [{ userId: 'U1' }], notBy: [{ userId: 'U2' }] };
  expect(sent({ start: { ...projectStart, filters: mixed } }).request.filters).toMatchObject(mixed);
});

test('the form takes a name of 100 emoji that was typed', () => {
  const name = '🏗'.repeat(100);
  expect(sent({ start: { ...projectStart, name } })).toMatchObject({ request: { name }, faults: new Map() });
});

test.each([
  { kind: 'folder', projectId: '123-456-789', itemId: 'a b' } as const,
  { kind: 'document', sessionId: '123-456-789', documentId: '"' } as const,
])('a subscription to one $kind stays one of that kind', (target) => {
  const start = { ...projectStart, target, comprehensive: false };
  expect(sent({ start }).request).toMatchObject({ target, comprehensive: false });
});

/** Globs as the typed command accepts them: it drops invisible characters. */
const anyGlob = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('"', '”', '“', '!', "'", '`', 'a', ' ', '*', '/', ',', '&', '<', '>', ';'),
      maxLength: 12,
    }),
  )
  .filter((glob) => isGlob(glob) && countWildcards(glob) <= maxWildcards && typedGlob(glob) === glob);

function typedGlob(glob: string): string | undefined {
  const quoted = `"${glob.replace(/["”]/g, '$&$&')}"`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const parsed = parseCommand('subscribe', `project 123-456-789 in ${quoted.replaceAll('>', '&gt;')}`);
  return parsed.ok && parsed.request.act === 'subscribe' ? parsed.request.filters.paths?.[0] : undefined;
}

const keyOf = (who: PersonName) => ('email' in who ? who.email : who.userId);
const anyPerson: fc.Arbitrary<PersonName> = fc.oneof(
  fc
    .emailAddress()
    .filter(isEmail)
    .map((email) => ({ email })),
  fc.integer({ min: 1_000, max: 9_999 }).map((number) => ({ userId: `U0${number}` })),
);
const anyStart: fc.Arbitrary<SubscribeRequest> = fc.record({
  act: fc.constant('subscribe' as const),
  target: fc.constant(projectStart.target),
  comprehensive: fc.boolean(),
  filters: fc
    .record({
      only: fc.subarray(['create', 'update', 'delete'] as const, { maxLength: 2 }),
      paths: fc.uniqueArray(anyGlob, { maxLength: 6 }),
      people: fc.uniqueArray(anyPerson, { maxLength: 8, selector: keyOf }),
      isOnly: fc.boolean(),
    })
    .map(({ people, isOnly, ...rest }) => ({
      ...rest,
      by: isOnly ? people : [],
      notBy: isOnly ? [] : people,
    })),
  when: fc.constantFrom<TypedWhen>(
    { when: 'live' },
    { when: 'hourly', except: ['create', 'delete'] },
    { when: 'daily', at: '07:45' },
    { when: 'daily', at: '07:45', weekdays: true, except: ['delete'] },
    { when: 'weekly', day: 'sunday', at: '23:59' },
  ),
  threads: fc.boolean(),
  ping: fc.constantFrom(undefined, { kind: 'user' as const, id: 'U1', on: ['create', 'delete'] as const }),
});

test('a form that is sent unchanged asks for the same settings, whether or not it shows all its fields', () => {
  fc.assert(
    fc.property(anyStart, fc.boolean(), (start, more) => {
      const { request, faults } = sent({ start, more });
      expect(faults.size).toBe(0);
      expect(request).toEqual(start);
    }),
    { numRuns: 300 },
  );
});
