import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateBlocks, validateView } from '../../sandbox/slack/block-kit.ts';
import { findElements } from '../../sandbox/slack/find-elements.ts';
import type { PauseReason } from '../../src/core/model/pause-reason.ts';
import type { SubscribeRequest } from '../../src/core/model/request.ts';
import type { PersonName } from '../../src/core/model/subscription.ts';
import { homeView } from '../../src/messages/home/home.ts';
import { type Form, faultOf } from '../../src/messages/subscribing/form-fields.ts';
import { type Muted, readListPage, subscriptionList } from '../../src/messages/subscribing/lists.ts';
import { sharedChannelQuestion } from '../../src/messages/subscribing/questions.ts';
import { rowButtons } from '../../src/messages/subscribing/row-buttons.ts';
import {
  previewFaults,
  previewView,
  subscribeForm,
  targetForm,
  targetOption,
} from '../../src/messages/subscribing/subscribe-form.ts';
import { blocksBudget, charactersOf, limits } from '../../src/messages/text/limits.ts';
import { readPage } from '../../src/messages/text/message.ts';
import { answerView } from '../../src/messages/text/modal.ts';
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

const anyKind = fc.constantFrom(
  'project' as const,
  'folder' as const,
  'file' as const,
  'session' as const,
  'document' as const,
);
/** With an address that is not empty, or an id as Slack gives them. */
const named = (who: PersonName): PersonName =>
  'email' in who ? { email: who.email || 'a@b' } : { userId: 'U01' };
const anyStart: fc.Arbitrary<SubscribeRequest> = fc.record({
  act: fc.constant('subscribe' as const),
  target: fc.oneof(anyTarget, fc.record({ kind: fc.constant('unknown' as const), id: anyText })),
  comprehensive: fc.boolean(),
  filters: anyFilters.map(({ by, notBy, ...rest }) => ({
    ...rest,
    by: by.map(named),
    notBy: notBy.map(named),
  })),
  when: fc.constantFrom(
    undefined,
    { when: 'live' as const },
    { when: 'daily' as const, at: '23:59', except: ['delete' as const] },
    { when: 'weekly' as const, day: 'sunday' as const, at: '00:00' },
  ),
  threads: fc.boolean(),
  name: fc.constantFrom(undefined, 'Harbour Tower', 'x'.repeat(120)),
});
const anyForm: fc.Arbitrary<Form> = fc.record({
  start: anyStart,
  channelId: fc.option(anyText),
  more: fc.boolean(),
  zone: anyText,
  isOwnZone: fc.boolean(),
  folders: fc.array(fc.record({ id: anyText, path: fc.array(anyText, { minLength: 1, maxLength: 9 }) }), {
    maxLength: 150,
  }),
  names: fc.constant(new Map()),
});

test('Slack accepts both steps of the form with any content', () => {
  fc.assert(
    fc.property(anyForm, fc.option(anyText), fc.boolean(), fc.boolean(), (form, name, isEdit, hasBack) => {
      const recognized = { target: form.start.target, name };
      const step = { recognized, isEdit, hasBack, metadata: 'm'.repeat(3_000) };
      expect(validateView(subscribeForm(form, step))).toEqual([]);
      expect(validateView(targetForm({ channelId: form.channelId, metadata: '{}' }))).toEqual([]);
      const { text, value } = targetOption(recognized, 'v');
      expect(text.text.length).toBeLessThanOrEqual(limits.optionText);
      expect(value).toBe('v');
    }),
    { numRuns: 120 },
  );
});

test('Slack accepts a preview with any content, and of any fault', () => {
  const anyHistory = fc.option(
    fc.record({
      of: fc.nat(50),
      posted: fc.nat(50),
      messages: fc.array(
        anySubscribed.map((wanted) => sharedChannelQuestion(wanted, 'v')),
        { maxLength: 60 },
      ),
      digest: fc.option(anySubscribed.map((wanted) => sharedChannelQuestion(wanted, 'v'))),
    }),
  );
  const anyFault = fc.record({ word: fc.option(anyText), expected: anyText });
  const anyFaults = fc.dictionary(fc.constantFrom('channel', 'kind', 'paths'), anyFault);
  fc.assert(
    fc.property(anyKind, anySettings, anyHistory, anyFaults, (kind, settings, history, wrong) => {
      const shown = previewView({ kind, settings, history });
      expect(validateView(shown)).toEqual([]);
      // A preview has nothing to press.
      expect(JSON.stringify(shown)).not.toContain('"button"');
      const faults = Object.entries(wrong).map(
        ([field, { word, expected }]) => [field, faultOf(word, expected)] as const,
      );
      expect(validateView(previewFaults(new Map(faults)))).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('metadata that Slack would refuse is refused first', () => {
  expect(() => targetForm({ channelId: null, metadata: 'm'.repeat(3_001) })).toThrow(RangeError);
});

const anyRow = fc.record({
  id: fc.uuid(),
  channelId: fc.option(anyText),
  subscribed: anySubscribed,
  owner: anyWho,
  settings: anySettings,
  state: fc.constantFrom('active' as const, 'pending' as const, 'paused' as const),
  pause: fc.option(
    fc.record({ reason: anyReason, owner: anyWho, by: fc.option(anyWho, { nil: undefined }) }),
    { nil: undefined },
  ),
  trouble: fc.option(fc.record({ kind: fc.constant('odd' as const), status: anyText }), { nil: undefined }),
  lastEventAt: fc.option(fc.date()),
});

const anyMuted: fc.Arbitrary<Muted> = fc.record({
  value: fc.uuid(),
  what: fc.oneof(
    fc.record({
      kind: fc.constant('item' as const),
      itemKind: fc.constantFrom('file' as const, 'folder' as const, 'session' as const, 'other' as const),
      name: fc.option(anyText),
      folder: fc.option(fc.array(anyText, { maxLength: 6 })),
    }),
    fc.record({ kind: fc.constant('person' as const), name: anyText }),
  ),
  by: fc.option(anyWho, { nil: undefined }),
});

test('Slack accepts a Home tab with any content, of any length and on any page', () => {
  const anyLink = fc.record({
    state: fc.constantFrom('active' as const, 'relink' as const, 'frozen' as const),
    account: fc.option(anyText),
    linkedAt: fc.date(),
  });
  fc.assert(
    fc.property(
      fc.option(anyLink),
      fc.uniqueArray(anyRow, { maxLength: 30, selector: ({ id }) => id }),
      fc.integer({ min: -2, max: 9 }),
      fc.boolean(),
      fc.array(anyMuted, { maxLength: 40 }),
      anyText,
      (link, rows, page, channelsKnown, muted, serviceName) => {
        const copy = { serviceName, commands };
        const view = homeView({ link, rows, muted, page, channelsKnown, admin: true, copy });
        expect(validateView(view)).toEqual([]);
        expect(String(readPage(view.private_metadata ?? ''))).toBe(view.private_metadata);
      },
    ),
    { numRuns: 80 },
  );
});

test('Home gives each of 25 muted items its button, and says where to find the others', () => {
  const muted = Array.from(
    { length: 30 },
    (_, index): Muted => ({ value: `m${index}`, what: { kind: 'person', name: `Person ${index}` } }),
  );
  const view = homeView({
    link: null,
    rows: [],
    muted,
    page: 0,
    channelsKnown: true,
    admin: false,
    copy: { serviceName: 'Planroom', commands },
  });
  const buttons = findElements(view.blocks).filter(({ actionId }) => actionId === 'show-again');
  expect(buttons.map(({ element }) => JSON.parse(String(element.value)).id)).toEqual(
    muted.slice(0, 25).map(({ value }) => value),
  );
  expect(JSON.stringify(view.blocks)).toContain('and 5 more with');
});

test('Slack accepts a list with any content, of any length and on any page', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('subscriptions' as const, 'unsubscribe' as const),
      fc.uniqueArray(anyRow, { maxLength: 25, selector: ({ id }) => id }),
      fc.array(anyMuted, { maxLength: 60 }),
      fc.integer({ min: -1, max: 7 }),
      (purpose, rows, muted, page) => {
        const list = subscriptionList({
          purpose,
          rows,
          muted,
          page,
        });
        expect(validateBlocks(list.blocks, 'message')).toEqual([]);
        expect(list.text.length).toBeLessThanOrEqual(limits.text);
        expect(charactersOf(list.blocks)).toBeLessThanOrEqual(blocksBudget);
      },
    ),
    { numRuns: 80 },
  );
});

test.each([0, 1, 10, 11])(
  'with %i subscriptions above them, each of 200 muted items has its button on some page',
  (count) => {
    const [some] = fc.sample(anyRow, 1);
    if (!some) throw new Error('no row');
    const rows = Array.from({ length: count }, (_, index) => ({ ...some, id: `s${index}` }));
    const names = Array.from({ length: 200 }, (_, index) => `item ${index}`);
    const muted = names.map(
      (name): Muted => ({
        value: name,
        what: { kind: 'item', itemKind: 'file', name, folder: null },
      }),
    );
    const pageAt = (page: number) =>
      subscriptionList({
        purpose: 'subscriptions',
        rows,
        muted,
        page,
      });
    const found: string[] = [];
    for (let page: number | null = 0; page !== null; ) {
      const { blocks } = pageAt(page);
      expect(validateBlocks(blocks, 'message')).toEqual([]);
      for (const block of blocks) {
        if (block.type !== 'section' || block.accessory?.type !== 'button') continue;
        expect(block.accessory.text.text).toBe('Show again');
        found.push(JSON.parse(block.accessory.value ?? '').id);
        expect(readListPage(block.block_id ?? '')).toEqual({
          place: 'subscriptions',
          page,
        });
      }
      page = nextOf(blocks);
    }
    expect(found).toEqual(names);
    // A page that no longer exists shows the last one.
    expect(pageAt(999).blocks).toEqual(pageAt(998).blocks);
  },
);

/** Returns the page that Next leads to; null on the last page. */
function nextOf(blocks: readonly KnownBlock[]): number | null {
  const buttons = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
  const next = buttons.find((each) => each.type === 'button' && each.text.text === 'Next');
  return next?.type === 'button' ? JSON.parse(next.value ?? '').page : null;
}

test('any answer can be shown as a form', () => {
  fc.assert(
    fc.property(anySubscribed, (wanted) => {
      expect(validateView(answerView(sharedChannelQuestion(wanted, 'v')))).toEqual([]);
    }),
  );
});

test('the buttons of a row lead back to the page they are on', () => {
  const subscribed = {
    target: { kind: 'project', projectId: '1' },
    name: null,
    comprehensive: true,
  } as const;
  const { block_id } = rowButtons({ id: 's1', subscribed, state: 'active' }, 'subscriptions:7');
  expect(readListPage(block_id ?? '')).toEqual({ place: 'subscriptions', page: 7 });
});

test.each([
  ['active', undefined, ['Pause', 'Remove']],
  ['pending', undefined, ['Remove']],
  ['paused', 'by a person', ['Resume', 'Remove']],
  ['paused', 'unlinked', ['Take over', 'Remove']],
  ['paused', 'not in channel', ['Remove']],
] as const)('buttons of a subscription that is %s (%s)', (state, reason, labels) => {
  const subscribed = {
    target: { kind: 'project', projectId: '1' },
    name: null,
    comprehensive: true,
  } as const;
  const pause = reason === undefined ? undefined : { reason, owner: { userId: 'U1', name: 'Dana' } };
  const { elements } = rowButtons({ id: 's1', subscribed, state, pause }, 'subscriptions:0');
  const buttons = elements.slice(0, -1);
  expect(buttons.map((element) => 'text' in element && element.text.text)).toEqual(labels);
  const [menu] = elements.slice(-1);
  expect(menu?.type).toBe('overflow');
  const options = menu?.type === 'overflow' ? menu.options : [];
  expect(options.map(({ value }) => JSON.parse(value ?? ''))).toEqual(
    ['edit', 'activity', 'check'].map((act) => ({ act, id: 's1' })),
  );
  const names = buttons.map((element) => 'accessibility_label' in element && element.accessibility_label);
  expect(names.every((name) => String(name).endsWith('project 1'))).toBe(true);
});
