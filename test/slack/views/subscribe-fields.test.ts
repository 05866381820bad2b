import { expect, test } from 'vitest';
import { defaultNames } from '../../../src/core/model/commands.ts';
import type { FormContext } from '../../../src/core/subscribing/form-context.ts';
import { readFormContext } from '../../../src/core/subscribing/form-context.ts';
import type { FormValues } from '../../../src/messages/subscribing/subscribe-form.ts';
import { formErrors } from '../../../src/messages/subscribing/subscribe-form.ts';
import { readFormFields, understandForm } from '../../../src/slack/views/subscribe-fields.ts';

const context: FormContext = {
  channelId: 'C1',
  responseUrl: null,
  names: defaultNames,
  zone: 'Europe/Oslo',
  change: null,
};
const empty: FormValues = readFormFields(
  { paths: { x: { value: null } }, by_emails: { x: {} }, not_by_emails: { x: { value: '' } } },
  context,
);
const understand = (values: Partial<FormValues>, more: Partial<FormContext> = {}) =>
  understandForm({ ...empty, kind: 'project', resource: '123456789', ...values }, { ...context, ...more });

test.each([
  ['123 456 789', 'project', { kind: 'project', projectId: '123-456-789' }],
  ['https://x.example/a?b=1&id=123456789', 'session', { kind: 'session', sessionId: '123-456-789' }],
  ['<https://x.example/projects/123456789|Tower>', null, { kind: 'project', projectId: '123-456-789' }],
  ['x.example/sessions/123-456-789', null, { kind: 'session', sessionId: '123-456-789' }],
  ['folder 123-456-789 F1', null, { kind: 'folder', projectId: '123-456-789', itemId: 'F1' }],
] as const)('%s (%s) is understood as the typed command understands it', (resource, kind, target) => {
  expect(understand({ resource, kind })).toMatchObject({ request: { target }, faults: {} });
});

test.each<[Partial<FormValues>, Record<string, RegExp>]>([
  [{ resource: '' }, { resource: /^Something is missing. I expected the 9-digit id of a project/ }],
  [{ resource: '123-456-789 only create' }, { resource: /nothing else/ }],
  [{ resource: 'https://x.example/sessions/123456789' }, { resource: /a link to a project/ }],
  [{ resource: '12345', kind: null }, { resource: /“12345”/ }],
  [{ resource: '123456789', kind: null }, { kind: /123-456-789 can be a project or a session/ }],
  [{ resource: 'help', kind: null }, { resource: /“help”/ }],
  [{ kind: 'file' }, { item: /the id of the file/ }],
  [{ kind: 'document', item: 'a/b' }, { item: /no slash/ }],
  [{ paths: `ok\n${'x'.repeat(1_001)}` }, { paths: /at most 1000 characters/ }],
  [{ paths: Array.from({ length: 51 }, (_, n) => `p${n}`).join('\n') }, { paths: /at most 50 paths/ }],
  [{ paths: `ok\n${'*a'.repeat(11)}` }, { paths: /at most 10 wildcards/ }],
  [{ by: { userIds: [], emails: 'dana@, sam' } }, { by_emails: /“dana@”/ }],
  [
    {
      by: { userIds: ['U01'], emails: 'A@example.com' },
      notBy: { userIds: [], emails: 'b@example.com; a@example.com' },
    },
    { not_by_emails: /either by or not by/ },
  ],
])('what cannot be understood is told at its field: %o', (values, errors) => {
  const { request, faults } = understand(values);
  expect(request).toBeNull();
  const told = formErrors(faults, ['resource', 'kind', 'item', 'paths', 'by_emails', 'not_by_emails']);
  expect(Object.keys(told)).toEqual(Object.keys(errors));
  for (const [field, words] of Object.entries(errors)) expect(told[field]).toMatch(words);
});

test('an error is at most so long as Slack shows, whatever was typed', () => {
  const { faults } = understand({ resource: '\u202E<!channel>'.repeat(400), paths: '!'.repeat(3_000) });
  for (const words of Object.values(formErrors(faults, ['resource', 'paths']))) {
    expect(words.length).toBeLessThanOrEqual(300);
    expect(words).not.toContain('\u202E');
  }
});

test('a form without a channel says so, and its metadata is believed only as far as it is ours', () => {
  expect(understand({}, { channelId: null }).faults).toHaveProperty('channel');
  for (const metadata of ['', '{}', '[]', 'null', JSON.stringify({ ...context, change: { id: '1' } })]) {
    expect(readFormContext(metadata)).toBeNull();
  }
  expect(readFormContext(JSON.stringify(context))).toEqual(context);
});
