import { expect, test } from 'vitest';
import type { Delivery, Filters, Target } from '../../../src/core/model/subscription.ts';
import { linkCodeErrors, unlinkQuestion } from '../../../src/messages/linking/linking.ts';
import { isSameSettings, subscriptionChanged } from '../../../src/messages/subscribing/announcements.ts';
import { linkStopped, notSetUp } from '../../../src/messages/subscribing/answers.ts';
import {
  describeDelivery,
  describeFilters,
  describeTarget,
  type SubscriptionSettings,
} from '../../../src/messages/text/copy.ts';
import { inMrkdwn, inPlain, inText } from '../../../src/messages/text/phrase.ts';
import { copy } from '../gallery-cases.ts';

const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };
const project: Target = { kind: 'project', projectId: '123-456-789' };

test.for<[Target, string | null, boolean, string]>([
  [project, 'Harbour Tower', true, 'Harbour Tower'],
  [project, null, true, 'project 123-456-789'],
  [project, ' ', false, 'project 123-456-789 (project only)'],
  [{ kind: 'session', sessionId: '987-654-321' }, 'Review', true, 'Review'],
  [{ kind: 'session', sessionId: '987-654-321' }, null, false, 'session 987-654-321 (session only)'],
  [
    { kind: 'folder', projectId: '123-456-789', itemId: '58' },
    'Level 1',
    false,
    'folder “Level 1” in project 123-456-789 (folder only)',
  ],
  [{ kind: 'file', projectId: '123-456-789', itemId: '59' }, null, true, 'file 59 in project 123-456-789'],
  [
    { kind: 'file', projectId: '123-456-789', itemId: '59' },
    null,
    false,
    'file 59 in project 123-456-789 (file only; new versions may not be reported)',
  ],
  [
    { kind: 'document', sessionId: '987-654-321', documentId: '60' },
    null,
    false,
    'document 60 in session 987-654-321',
  ],
])('%o, named %o, comprehensive %o, is "%s"', ([target, name, comprehensive, words]) => {
  expect(inPlain(describeTarget({ target, name, comprehensive }))).toBe(words);
});

test.for<[Partial<Filters>, string]>([
  [{}, 'every change'],
  [{ only: ['create'] }, 'added'],
  [{ only: ['create', 'update', 'delete'] }, 'added, changed and deleted'],
  [{ paths: ['Plans/**', '!**/*.bak'] }, 'changes in Plans/**, except in **/*.bak'],
  [{ by: [{ email: 'dana@example.com' }, { userId: 'U1' }] }, 'changes by dana@example.com or Max Roth'],
  [{ notBy: [{ userId: 'U2' }] }, 'every change except by Slack user U2'],
  [{ paths: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 'changes in a, b, c, d or 3 more'],
  [{ paths: ['a', 'b', 'c', 'd', 'e'] }, 'changes in a, b, c, d or e'],
])('the filters %o are "%s"', ([filters, words]) => {
  expect(inPlain(describeFilters({ ...noFilters, ...filters }, new Map([['U1', 'Max Roth']])))).toBe(words);
});

test('people in filters are named without a ping, even if only their id is known', () => {
  const phrase = describeFilters({ ...noFilters, by: [{ userId: 'U2' }] });
  expect(inMrkdwn(phrase)).not.toContain('<@');
  expect(inText(phrase)).not.toContain('<@');
});

test.for<[Delivery, string]>([
  [{ when: 'live' }, 'as they happen'],
  [{ when: 'hourly' }, 'in an hourly digest'],
  [{ when: 'daily', at: '09:00', zone: 'Europe/Stockholm' }, 'in a daily digest at 9:00 Stockholm time'],
  [
    { when: 'daily', at: '09:00', zone: 'Europe/Stockholm', weekdays: true, except: ['delete'] },
    'in a digest on weekdays at 9:00 Stockholm time, deletions as they happen',
  ],
  [{ when: 'daily', at: '09:00', zone: 'UTC' }, 'in a daily digest at 9:00 UTC'],
  [{ when: 'daily', at: '09:00', zone: 'Etc/GMT+5' }, 'in a daily digest at 9:00 Etc/GMT+5'],
  [
    { when: 'daily', at: '09:00', zone: 'America/Argentina/Buenos_Aires' },
    'in a daily digest at 9:00 Buenos Aires time',
  ],
])('%o is "%s"', ([delivery, words]) => {
  expect(inPlain(describeDelivery(delivery))).toBe(words);
});

const settings: SubscriptionSettings & { comprehensive: boolean } = {
  filters: noFilters,
  delivery: { when: 'daily', at: '09:00', zone: 'UTC' },
  threads: false,
  comprehensive: true,
};

test('settings that the store returns in another order are the same', () => {
  const before = { ...settings, filters: { ...noFilters, only: ['create', 'delete'] as const } };
  const after = {
    ...settings,
    filters: { notBy: [], by: [], paths: [], only: ['delete', 'create'] as const },
    delivery: { zone: 'UTC', at: '09:00', when: 'daily' as const },
  };
  expect(isSameSettings({ before, after })).toBe(true);
});

test.for<Partial<SubscriptionSettings & { comprehensive: boolean }>>([
  { comprehensive: false },
  { threads: true },
  { delivery: { when: 'daily', at: '09:00', zone: 'Europe/Stockholm' } },
  { filters: { ...noFilters, notBy: [{ email: 'a@example.com' }] } },
  { filters: { ...noFilters, paths: ['a'] } },
])('settings with %o are different', (change) => {
  expect(isSameSettings({ before: settings, after: { ...settings, ...change } })).toBe(false);
});

test('the change of a session’s scope is announced with its documents', () => {
  const changed = subscriptionChanged({
    id: 'id',
    by: { userId: 'U1', name: 'Dana' },
    subscribed: {
      target: { kind: 'session', sessionId: '731-450-286' },
      comprehensive: false,
      name: null,
    },
    change: { before: settings, after: { ...settings, comprehensive: false } },
    undoValue: 's1::0',
  });
  expect(changed.text).toContain('• Now session only (was: session and documents)');
});

test('a subscription in a direct message is the reader’s own: nobody takes it over, and it is not a channel’s', () => {
  const subscribed = {
    target: { kind: 'project', projectId: '123-456-789' },
    comprehensive: true,
    name: null,
  } as const;
  const there = { subscribed, channelId: 'D0DANA0001' };
  expect(unlinkQuestion(null, [there], copy).text).toContain('1 subscription will pause:');
  expect(unlinkQuestion(null, [there, { subscribed, channelId: 'C0PLANS001' }], copy).text).toContain(
    'until someone takes over',
  );
  expect(notSetUp(subscribed, there.channelId, linkStopped).text).toContain(
    'I couldn’t subscribe you to project 123-456-789',
  );
});

test('errors of the code form belong to its field', () => {
  expect(linkCodeErrors({ kind: 'wrong', triesLeft: 2 })).toEqual({
    code: 'That isn’t the code your browser shows. You have 2 more tries.',
  });
  expect(linkCodeErrors({ kind: 'wrong', triesLeft: 1 }).code).toContain('1 more try.');
});

test('a phrase that is too long ends between two parts', () => {
  const phrase = ['in ', ...Array.from({ length: 50 }, () => ({ as: 'item' as const, of: 'a&b' }))];
  const written = inMrkdwn(phrase, 40);
  expect(written).toBe('in *a&amp;b**a&amp;b**a&amp;b**a&amp;b*…');
  expect(written.length).toBeLessThanOrEqual(40);
});
