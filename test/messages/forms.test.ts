import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../sandbox/slack/block-kit.ts';
import { homeView, readHomePage } from '../../src/messages/home/home.ts';
import { sharedChannelQuestion } from '../../src/messages/subscribing/answers.ts';
import { readListPage } from '../../src/messages/subscribing/lists.ts';
import { listPageOfRow, rowButtons } from '../../src/messages/subscribing/row-buttons.ts';
import {
  type FormValues,
  faultyFields,
  subscribeForm,
} from '../../src/messages/subscribing/subscribe-form.ts';
import { answerView } from '../../src/messages/text/answer-view.ts';
import type { PauseReason } from '../../src/messages/text/copy.ts';
import { anyFilters, anyTarget, anyText } from './nasty.ts';

const commands = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};
const anySubscribed = fc.record({ target: anyTarget, name: fc.option(anyText), comprehensive: fc.boolean() });
const anySettings = fc.record({
  filters: anyFilters,
  delivery: fc.oneof(
    fc.constant({ when: 'live' as const }),
    fc.record({ when: fc.constant('daily' as const), at: anyText, zone: anyText }),
  ),
  threads: fc.boolean(),
});
const anyWho = fc.record({ userId: anyText, name: anyText });
const anyReason = fc.constantFrom<PauseReason>('by a person', 'link lost', 'not in channel');

const fieldText = fc.oneof(anyText, fc.constant('x'.repeat(3_000)));
const anyPeople = fc.option(
  fc.record({ userIds: fc.array(fc.constantFrom('U01', 'U02'), { maxLength: 50 }), emails: fieldText }),
);
const anyValues: fc.Arbitrary<FormValues> = fc.record({
  channelId: fc.option(fc.constant('C01')),
  kind: fc.option(
    fc.constantFrom('project' as const, 'folder' as const, 'session' as const, 'document' as const),
  ),
  resource: fieldText,
  item: fieldText,
  comprehensive: fc.boolean(),
  types: fc.uniqueArray(fc.constantFrom('create' as const, 'update' as const, 'delete' as const)),
  paths: fc.option(fieldText),
  by: anyPeople,
  notBy: anyPeople,
  when: fc.constantFrom('live' as const, 'hourly' as const, 'daily' as const),
  at: fc.constantFrom('00:00', '23:59'),
  threads: fc.boolean(),
  anyway: fc.boolean(),
});
const anyPreview = fc.record({
  told: fc.option(
    fc.record({
      subscribed: anySubscribed,
      settings: anySettings,
      history: fc.option(fc.record({ of: fc.nat(50), posted: fc.nat(50) })),
      asTyped: fieldText,
    }),
  ),
  fault: fc.option(fc.record({ field: fc.constantFrom(...faultyFields), word: anyText })),
  obstacle: fc.option(
    fc.record({ why: fc.constantFrom('archived' as const, 'unknown' as const), botName: anyText }),
  ),
  covering: fc.option(anySubscribed),
});

test('the form with anything in it is one that Slack takes', () => {
  const anyAbout = fc.oneof(
    fc.record({ act: fc.constant('follow' as const), channelId: fc.option(anyText) }),
    fc.record({ act: fc.constant('change' as const), channelId: anyText, subscribed: anySubscribed }),
  );
  fc.assert(
    fc.property(anyAbout, anyValues, anyText, anyPreview, (about, values, zone, preview) => {
      const view = subscribeForm({ about, values, zone, preview, metadata: 'm'.repeat(3_000) });
      expect(validateView(view)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('metadata that Slack would refuse is refused first', () => {
  const about = { act: 'follow', channelId: null } as const;
  const preview = { told: null, fault: null, obstacle: null, covering: null };
  const [values] = fc.sample(anyValues, 1);
  if (!values) throw new Error('no values');
  expect(() => subscribeForm({ about, values, zone: 'UTC', preview, metadata: 'm'.repeat(3_001) })).toThrow(
    RangeError,
  );
});

const anyRow = fc.record({
  id: fc.uuid(),
  channelId: fc.option(anyText),
  subscribed: anySubscribed,
  owner: anyWho,
  settings: anySettings,
  state: fc.constantFrom('active' as const, 'pending' as const, 'paused' as const),
  pause: fc.option(fc.record({ reason: anyReason, owner: anyWho }), { nil: undefined }),
  serviceStatus: fc.option(anyText, { nil: undefined }),
  lastEventAt: fc.option(fc.date()),
});

test('a Home tab of anything, of any length and on any page, is one that Slack takes', () => {
  const anyAccount = fc.oneof(
    fc.constant({ kind: 'none' as const }),
    fc.record({
      kind: fc.constantFrom('active' as const, 'again' as const),
      account: fc.option(anyText),
      linkedAt: fc.date(),
    }),
  );
  fc.assert(
    fc.property(
      anyAccount,
      fc.uniqueArray(anyRow, { maxLength: 30, selector: ({ id }) => id }),
      fc.integer({ min: -2, max: 9 }),
      fc.boolean(),
      anyText,
      (account, rows, page, channelsKnown, serviceName) => {
        const view = homeView({ account, rows, page, channelsKnown, copy: { serviceName, commands } });
        expect(validateView(view)).toEqual([]);
        expect(String(readHomePage(view.private_metadata ?? ''))).toBe(view.private_metadata);
      },
    ),
    { numRuns: 150 },
  );
});

test('any answer can be shown as a form', () => {
  fc.assert(
    fc.property(anySubscribed, (wanted) => {
      expect(validateView(answerView(sharedChannelQuestion({ wanted, value: 'v' })))).toEqual([]);
    }),
  );
});

test('the buttons of a row lead back to the page they stand on', () => {
  const subscribed = {
    target: { kind: 'project', projectId: '1' },
    name: null,
    comprehensive: true,
  } as const;
  const { block_id } = rowButtons({ id: 's1', subscribed, state: 'active' }, 'subscriptions:7');
  expect(readListPage(listPageOfRow(block_id ?? '') ?? '')).toEqual({ purpose: 'subscriptions', page: 7 });
  expect(listPageOfRow('fa6107ef1k')).toBeNull();
});

test.each([
  ['active', undefined, ['Edit', 'Pause', 'Remove']],
  ['pending', undefined, ['Edit', 'Remove']],
  ['paused', 'by a person', ['Edit', 'Resume', 'Remove']],
  ['paused', 'unlinked', ['Edit', 'Take over', 'Remove']],
  ['paused', 'not in channel', ['Edit', 'Remove']],
] as const)('what can be done about a subscription that is %s (%s)', (state, reason, labels) => {
  const subscribed = {
    target: { kind: 'project', projectId: '1' },
    name: null,
    comprehensive: true,
  } as const;
  const pause = reason === undefined ? undefined : { reason, owner: { userId: 'U1', name: 'Dana' } };
  const { elements } = rowButtons({ id: 's1', subscribed, state, pause }, 'subscriptions:0');
  expect(elements.map((element) => 'text' in element && element.text.text)).toEqual(labels);
  const names = elements.map((element) => 'accessibility_label' in element && element.accessibility_label);
  expect(names.every((name) => String(name).endsWith('project 1 and its contents'))).toBe(true);
});
