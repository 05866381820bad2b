import { expect, test } from 'vitest';
import type { FormContext } from '../../../src/core/subscribing/form-context.ts';
import { keptAtFirst, readFormContext } from '../../../src/core/subscribing/form-context.ts';
import { formErrors } from '../../../src/messages/subscribing/form-errors.ts';
import type { FieldState } from '../../../src/slack/acts/field-values.ts';
import { readFormFields, understandForm } from '../../../src/slack/acts/subscribe-fields.ts';
import { newForm } from '../../support/form-context.ts';

/** Parses a submitted form with these fields; `more` changes its context. */
function understand(
  fields: { readonly [blockId: string]: string | readonly string[] },
  more: Partial<FormContext> = {},
) {
  const formContext = { ...newForm, ...more };
  const values = Object.fromEntries(
    Object.entries(fields).map(([blockId, value]) => [blockId, { x: stateOf(blockId, value) }]),
  );
  return understandForm(readFormFields(values, formContext), formContext);
}
const selects = new Set(['kind', 'kind_project', 'kind_session', 'folder', 'scope', 'when', 'days']);
function stateOf(blockId: string, value: string | readonly string[]): FieldState {
  if (typeof value !== 'string') return { selected_options: value.map((each) => ({ value: each })) };
  return selects.has(blockId) ? { selected_option: { value } } : { value };
}
const allShown = { kept: { ...keptAtFirst, more: true } };

test.each([
  [
    { resource: '123 456 789', kind: 'project' },
    { kind: 'project', projectId: '123-456-789' },
  ],
  [
    { resource: '123456789', kind: 'session' },
    { kind: 'session', sessionId: '123-456-789' },
  ],
  [
    { resource: '<https://x.example/projects/123456789|Tower>' },
    { kind: 'project', projectId: '123-456-789' },
  ],
  [{ resource: 'x.example/sessions/123-456-789' }, { kind: 'session', sessionId: '123-456-789' }],
  [
    { resource: 'https://x.example/projects/123456789', kind_project: 'file', item: 'F2' },
    { kind: 'file', projectId: '123-456-789', itemId: 'F2' },
  ],
  [
    { resource: 'https://x.example/projects/123456789', kind_project: 'folder', folder: 'F7', item: '' },
    { kind: 'folder', projectId: '123-456-789', itemId: 'F7' },
  ],
  [{ resource: 'folder 123-456-789 F1' }, { kind: 'folder', projectId: '123-456-789', itemId: 'F1' }],
] as const)('%o is understood like the typed command', (fields, target) => {
  expect(understand(fields)).toMatchObject({ request: { target }, faults: {} });
});

test('the kind chosen for a bare id does not apply to the link that replaced it', () => {
  const { request } = understand({ resource: 'https://x.example/projects/123456789', kind: 'session' });
  expect(request?.target).toEqual({ kind: 'project', projectId: '123-456-789' });
});

const project = { resource: '123456789', kind: 'project' };
test.each<[Record<string, string>, Record<string, RegExp>]>([
  [{ resource: '' }, { resource: /^Enter .*9-digit id/ }],
  [{ resource: '123-456-789 only create' }, { resource: /nothing else/ }],
  [{ resource: '12345' }, { resource: /“12345” doesn’t work here/ }],
  [{ resource: '123456789' }, { kind: /^Enter what 123-456-789 is/ }],
  [{ resource: 'help' }, { resource: /“help”/ }],
  [{ resource: '123456789', kind: 'file' }, { item: /the id of the file/ }],
  [{ resource: '123456789', kind: 'document', item: 'a/b' }, { item: /without slashes/ }],
  [{ ...project, paths: `ok\n${'x'.repeat(4_001)}` }, { paths: /at most 4,000 characters/ }],
  [
    { ...project, paths: Array.from({ length: 51 }, (_, n) => `p${n}`).join('\n') },
    { paths: /at most 50 paths/ },
  ],
  [{ ...project, paths: `ok\n${'*a'.repeat(11)}` }, { paths: /at most 10 wildcards/ }],
  [{ ...project, by_emails: 'dana@, sam' }, { by_emails: /“dana@”/ }],
  [
    { ...project, by_emails: 'A@example.com', not_by_emails: 'b@example.com; a@example.com' },
    { not_by_emails: /one of the two lists, not both/ },
  ],
])('a fault is shown at its field: %o', (fields, errors) => {
  const { request, faults } = understand(fields, allShown);
  expect(request).toBeNull();
  const shown = formErrors(faults, ['resource', 'kind', 'item', 'paths', 'by_emails', 'not_by_emails']);
  expect(Object.keys(shown)).toEqual(Object.keys(errors));
  for (const [field, words] of Object.entries(errors)) expect(shown[field]).toMatch(words);
});

test('folders chosen by name and typed patterns are combined, without duplicates', () => {
  const { request } = understand(
    { ...project, folders: ['Plans/**', 'Details/**'], paths: '!**/*.bak\nPlans/**' },
    allShown,
  );
  expect(request?.filters.paths).toEqual(['Plans/**', 'Details/**', '!**/*.bak']);
});

test('a hidden field keeps its earlier value', () => {
  const kept = { ...keptAtFirst, item: 'F9', comprehensive: false, at: '07:30' };
  const { request } = understand({ ...project, kind: 'file', when: 'daily' }, { kept });
  expect(request).toMatchObject({ target: { itemId: 'F9' }, when: { when: 'daily', at: '07:30' } });
  expect(understand(project, { kept }).request?.comprehensive).toBe(false);
});

test('an error is never longer than Slack shows, whatever was typed', () => {
  const { faults } = understand(
    { resource: '\u202E<!channel>'.repeat(400), paths: '!'.repeat(3_000) },
    allShown,
  );
  for (const words of Object.values(formErrors(faults, ['resource', 'paths']))) {
    expect(words.length).toBeLessThanOrEqual(300);
    expect(words).not.toContain('\u202E');
  }
});

test('a form without a channel says so, and metadata that is not ours is ignored', () => {
  expect(understand(project, { channelId: null }).faults).toHaveProperty('channel');
  for (const metadata of ['', '{}', '[]', 'null', JSON.stringify({ ...newForm, change: { id: '1' } })]) {
    expect(readFormContext(metadata)).toBeNull();
  }
  expect(readFormContext(JSON.stringify(newForm))).toEqual(newForm);
  // As an older release wrote it.
  const { kept: _kept, ...older } = newForm;
  expect(readFormContext(JSON.stringify(older))).toEqual(newForm);
});
