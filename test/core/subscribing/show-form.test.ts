import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../../sandbox/slack/block-kit.ts';
import { initially } from '../../../sandbox/slack/element-values.ts';
import { findElements } from '../../../sandbox/slack/find-elements.ts';
import { countWildcards, maxWildcards } from '../../../src/core/model/glob.ts';
import type { Delivery, Filters, PersonName } from '../../../src/core/model/subscription.ts';
import { isEmail, isGlob } from '../../../src/core/model/typed-text.ts';
import { readFormContext } from '../../../src/core/subscribing/form-context.ts';
import { drawForm, editForm } from '../../../src/core/subscribing/show-form.ts';
import { noHints } from '../../../src/messages/subscribing/form-values.ts';
import { readFormFields, understandForm } from '../../../src/slack/acts/subscribe-fields.ts';
import { parseCommand } from '../../../src/slack/grammar/parse-command.ts';
import type { Subscription } from '../../../src/store/tables/subscription-row.ts';
import { newForm } from '../../support/form-context.ts';

const row: Subscription = {
  id: '0b7e0d1e-30c2-4f4e-9a51-6f1f0a3d5c01',
  enterpriseId: null,
  teamId: 'T1',
  channelId: 'C1',
  ownerUserId: 'U1',
  target: { kind: 'project', projectId: '123-456-789' },
  comprehensive: true,
  filters: { only: [], paths: [], by: [], notBy: [] },
  delivery: { when: 'live' },
  threads: false,
  ping: null,
  serviceSubscriptionId: null,
  parentName: null,
  lacksIdPath: false,
  resourceName: null,
  typedName: null,
  state: 'active',
  reason: null,
  health: null,
  lastEventAt: null,
  createdAt: new Date(0),
  endedAt: null,
  undo: null,
  volumeAskedAt: null,
  volumeKeptUntil: null,
};

/** Opens the form for a subscription and submits it unchanged. */
function sentAsItIs(of: Partial<Subscription>) {
  const view = drawForm(editForm({ ...row, ...of }, newForm), noHints);
  const context = readFormContext(view.private_metadata ?? '');
  if (!context) throw new Error('the form cannot be read');
  expect(validateView(view)).toEqual([]);
  const values = Object.fromEntries(
    findElements(view.blocks).map(({ blockId, actionId, element }) => [
      blockId,
      { [actionId]: initially(element) },
    ]),
  );
  return understandForm(readFormFields(values, context), context);
}

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

const anyPerson: fc.Arbitrary<PersonName> = fc.oneof(
  fc
    .emailAddress()
    .filter(isEmail)
    .map((email) => ({ email })),
  fc.integer({ min: 1_000, max: 9_999 }).map((number) => ({ userId: `U0${number}` })),
);
const anyDelivery: fc.Arbitrary<Delivery> = fc.constantFrom(
  { when: 'live' },
  { when: 'hourly' },
  { when: 'daily', at: '07:45', zone: 'America/Lima' },
);
const keyOf = (who: PersonName) => ('email' in who ? who.email.toLowerCase() : who.userId);
const byKey = (people: readonly PersonName[] = []) =>
  people.map(keyOf).toSorted((a, b) => a.localeCompare(b));

test('the form takes a name of 100 emoji that was typed', () => {
  const typedName = '🏗'.repeat(100);
  expect(sentAsItIs({ typedName })).toMatchObject({
    faults: {},
    request: { act: 'subscribe' },
  });
});

test('a form submitted unchanged asks for the same settings again, whatever the settings are', () => {
  const anyFilters: fc.Arbitrary<Filters> = fc
    .record({
      only: fc.uniqueArray(fc.constantFrom('create' as const, 'update' as const, 'delete' as const)),
      paths: fc.uniqueArray(anyGlob, { maxLength: 6 }),
      people: fc.uniqueArray(anyPerson, { maxLength: 8, selector: keyOf }),
    })
    .map(({ only, paths, people }) => ({
      only,
      paths,
      by: people.slice(0, 4),
      notBy: people.slice(4),
    }));
  fc.assert(
    fc.property(
      anyFilters,
      anyDelivery,
      fc.boolean(),
      fc.boolean(),
      (filters, delivery, threads, comprehensive) => {
        const { request, faults } = sentAsItIs({ filters, delivery, threads, comprehensive });
        expect(faults).toEqual({});
        expect(request).toMatchObject({ target: row.target, comprehensive });
        // What the form does not show, because nothing of it is set, stays as it is.
        expect(request?.threads ?? false).toBe(threads);
        // An unchanged time stays in the time zone that it is set in.
        expect(request?.when).toBeUndefined();
        expect(request?.filters.paths ?? []).toEqual(filters.paths);
        expect(new Set(request?.filters.only)).toEqual(
          new Set(filters.only.length === 3 ? [] : filters.only),
        );
        expect(byKey(request?.filters.by ?? [])).toEqual(byKey(filters.by));
        expect(byKey(request?.filters.notBy ?? [])).toEqual(byKey(filters.notBy));
      },
    ),
    { numRuns: 300 },
  );
});

test('lists that are too long for a field stay unchanged', () => {
  const paths = Array.from({ length: 50 }, (_, index) => `${'Plans/'.repeat(20)}${index}/**`);
  const by = Array.from({ length: 50 }, (_, index) => ({ email: `${'x'.repeat(60)}${index}@example.com` }));
  const { request, faults } = sentAsItIs({ filters: { only: [], paths, by, notBy: [] } });
  expect(faults).toEqual({});
  expect(request?.filters).toEqual({ only: [], paths: undefined, by: undefined, notBy: [] });
});

test.each([
  { kind: 'folder', projectId: '123-456-789', itemId: 'a b' } as const,
  { kind: 'document', sessionId: '123-456-789', documentId: '"' } as const,
])('a subscription to one $kind is changed as that kind', (target) => {
  const { request } = sentAsItIs({ target, comprehensive: false });
  expect(request).toMatchObject({ target, comprehensive: false });
});
