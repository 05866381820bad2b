import fc from 'fast-check';
import { expect, test } from 'vitest';
import { validateView } from '../../../sandbox/slack/block-kit.ts';
import { channelReasons, type OwnerReason } from '../../../src/core/model/pause-reason.ts';
import { verbs } from '../../../src/core/model/verbs.ts';
import { renderActivity } from '../../../src/messages/activity/activity.ts';
import { groupChanges } from '../../../src/messages/activity/grouping.ts';
import { showAllView } from '../../../src/messages/activity/show-all.ts';
import { help } from '../../../src/messages/home/help.ts';
import {
  linkCodeModal,
  linkOffer,
  linkReceipt,
  unlinkQuestion,
} from '../../../src/messages/linking/linking.ts';
import {
  channelClosed,
  channelDeleted,
  channelResumed,
  subscriptionChanged,
  subscriptionMade,
  subscriptionsRemoved,
  subscriptionsWaiting,
} from '../../../src/messages/subscribing/announcements.ts';
import { nothingToRemove, postedAlready } from '../../../src/messages/subscribing/answers.ts';
import { readListPage, subscriptionList } from '../../../src/messages/subscribing/lists.ts';
import { partlyUnderstood } from '../../../src/messages/subscribing/questions.ts';
import { serviceError } from '../../../src/messages/subscribing/refusals.ts';
import { fitInto, howManyFit } from '../../../src/messages/text/limits.ts';
import { button } from '../../../src/messages/text/message.ts';
import { manyRuns } from '../../support/many-runs.ts';
import { now } from '../changes.ts';
import { anyChange, anyText, burst } from '../nasty.ts';
import {
  anyActivity,
  anyMentioned,
  anySettings,
  anySubscribed,
  expectOnlyPing,
  expectPostable,
  expectSafe,
  textsOf,
} from '../postable.ts';

const commands = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};
/** A failing case is not shrunk: that takes minutes for such large values, and the seed reproduces it. */
const runs = (numRuns: number) => ({ numRuns: manyRuns(numRuns), endOnFailure: true });

const anyCopy = anyText.map((serviceName) => ({ serviceName, commands }));
const anyWho = fc.record({ userId: anyText, name: anyText });
const anyReason = fc.constantFrom<OwnerReason>('link lost', 'no access', 'not sent any more');
test('any changes make a message that Slack accepts, with no markup from their texts', () => {
  fc.assert(
    fc.property(anyActivity(60), (activity) => {
      expectPostable(renderActivity(activity));
    }),
    runs(100),
  );
});

test('any changes ping the chosen person or group, and nobody else', () => {
  fc.assert(fc.property(anyActivity(60), anyMentioned, expectOnlyPing), runs(100));
});

test('one change of any kind makes a message that Slack accepts', () => {
  fc.assert(
    fc.property(anyChange, fc.boolean(), (change, endedSubscription) => {
      expectPostable(renderActivity({ changes: [change], now, mode: 'live', endedSubscription }));
    }),
    runs(1_000),
  );
});

test('the same changes make the same message', () => {
  fc.assert(
    fc.property(anyActivity(60), (activity) => {
      expect(renderActivity(structuredClone(activity))).toEqual(renderActivity(activity));
    }),
    runs(100),
  );
});

test('grouping loses no change and keeps the order of changes to one item', () => {
  fc.assert(
    fc.property(burst, (changes) => {
      const grouped = groupChanges(changes).flatMap((group) => group.changes);
      expect(grouped).toHaveLength(changes.length);
      for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) {
        for (const folder of ['Plans', 'Level 1']) {
          const ofOne = (list: typeof changes) =>
            list.filter((change) => change.name === name && change.folder?.at(-1) === folder);
          expect(ofOne(grouped)).toEqual(ofOne(changes));
        }
      }
    }),
    runs(1_000),
  );
});

test('3,000 changes make one message, and a paged list with all of them', () => {
  const changes = fc.sample(anyChange, { numRuns: 1, seed: 5 }).flatMap((change) =>
    Array.from({ length: 3_000 }, (_, index) => ({
      ...change,
      verb: 'added' as const,
      // Numbers in a row would be one line.
      name: `File ${2 * index}.pdf`,
      itemId: null,
    })),
  );
  expectPostable(renderActivity({ changes, now, mode: 'live' }));
  const names = new Set<string>();
  for (let page = 0; page < 12; page++) {
    const view = showAllView({ changes, page, metadata: 'v' });
    expect(validateView(view)).toEqual([]);
    for (const text of textsOf(view.blocks, 'mrkdwn')) {
      for (const [name] of text.matchAll(/File \d+\.pdf/g)) names.add(name);
    }
  }
  expect(names.size).toBe(3_000);
});

test('the full list of any changes is a form that Slack accepts, on every page', () => {
  fc.assert(
    fc.property(fc.array(anyChange, { maxLength: 120 }), fc.integer({ min: -2, max: 9 }), (changes, page) => {
      const view = showAllView({ changes, page, metadata: 'v' });
      expect(validateView(view)).toEqual([]);
      expectSafe(textsOf(view.blocks, 'mrkdwn'));
    }),
    runs(100),
  );
});

test('any announcement with any filters is a message that Slack accepts', () => {
  fc.assert(
    fc.property(
      anyWho,
      anySubscribed,
      fc.tuple(anySettings, anySettings),
      anyText,
      (by, subscribed, [one, other], typed) => {
        expectPostable(subscriptionMade({ id: 's1', by, subscribed, settings: one, undoValue: typed }));
        expectPostable(
          subscriptionChanged({
            id: 's1',
            by,
            subscribed,
            change: { before: one, after: other },
            undoValue: typed,
          }),
        );
        expectPostable(subscriptionsRemoved(by, [subscribed]));
        expectPostable(
          subscriptionsRemoved(
            by,
            Array.from({ length: 200 }, () => subscribed),
          ),
        );
      },
    ),
    runs(100),
  );
});

test('any notice of a pause is a message that Slack accepts', () => {
  fc.assert(
    fc.property(
      anyReason,
      anyWho,
      anySubscribed,
      anyCopy,
      anyText,
      (reason, owner, subscribed, copy, text) => {
        expectPostable(
          subscriptionsWaiting(Array(50).fill({ id: 'v', subscribed }), { reason, owner }, copy),
        );
        const many = Array.from({ length: 40 }, () => subscribed);
        for (const channelReason of channelReasons)
          expectPostable(
            channelClosed({
              channelId: text,
              subscribed: many,
              reason: channelReason,
              botName: text,
              copy,
            }),
          );
        expectPostable(channelDeleted(text, many));
        expectPostable(channelResumed(many, 3));
      },
    ),
    runs(100),
  );
});

test('any private answer is a message that Slack accepts', () => {
  fc.assert(
    fc.property(anySubscribed, anyCopy, anyText, (subscribed, copy, text) => {
      const delivery = { when: 'daily', at: text, zone: text } as const;
      expectPostable(postedAlready({ id: text, subscribed, covering: subscribed, delivery }));
      expectPostable(nothingToRemove(text, false));
      expectPostable(serviceError(`The service says: ${text}`));
      const offer = { line: `/subscribe ${text}`, value: 'v', name: text, form: 'v', label: `as ${text}` };
      const fault = { option: text, value: text, expected: text };
      const mistake = { understood: offer, leftOut: text, lacks: 'target' } as const;
      expectPostable(partlyUnderstood({ ...mistake, faults: [], choices: [] }));
      expectPostable(
        partlyUnderstood({ ...mistake, faults: Array(9).fill(fault), choices: Array(30).fill(offer) }),
      );
      expectPostable(linkReceipt(text, text, copy));
      expectPostable(
        linkOffer({
          copy,
          why: 'linked',
          account: text,
          url: 'https://plancast.example/link/x',
          minutes: 10,
        }),
      );
      const stops = Array.from({ length: 120 }, () => ({ subscribed, channelId: text }));
      expectPostable(unlinkQuestion(text, stops, copy));
      expect(validateView(linkCodeModal(copy))).toEqual([]);
      for (const verb of [undefined, ...verbs]) expectPostable(help(verb, { ...copy, serviceName: text }));
    }),
    runs(100),
  );
});

test('a list with any content, of any length and on any page, is a message that Slack accepts', () => {
  const anyRow = fc.record({
    id: fc.uuid(),
    subscribed: anySubscribed,
    owner: anyWho,
    settings: anySettings,
    state: fc.constantFrom('active' as const, 'pending' as const, 'paused' as const),
    pause: fc.option(fc.record({ reason: anyReason, owner: anyWho }), { nil: undefined }),
    trouble: fc.option(fc.record({ kind: fc.constant('odd' as const), status: anyText }), { nil: undefined }),
    lastEventAt: fc.option(fc.date()),
    messagesADay: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(anyRow, { maxLength: 40 }), fc.integer({ min: -2, max: 9 }), (rows, page) => {
      expectPostable(subscriptionList({ purpose: 'unsubscribe', rows, page }));
    }),
    runs(100),
  );
});

test('a page of the longest rows is a message that Slack accepts', () => {
  const long = (letter: string) => letter.repeat(200);
  const rows = Array.from({ length: 60 }, (_, index) => ({
    id: `0b7e0d1e-30c2-4f4e-9a51-${String(index).padStart(12, '0')}`,
    subscribed: {
      target: { kind: 'file' as const, projectId: '123-456-789', itemId: long('i') },
      name: long('n'),
      comprehensive: false,
    },
    owner: { userId: 'U1', name: long('o') },
    settings: {
      filters: { only: [], paths: [long('p'), long('q')], by: [{ email: long('e') }], notBy: [] },
      delivery: { when: 'live' as const },
      threads: true,
    },
    state: 'paused' as const,
    pause: { reason: 'link lost' as const, owner: { userId: 'U1', name: long('o') } },
    lastEventAt: now,
  }));
  for (const purpose of ['subscriptions', 'unsubscribe'] as const) {
    expectPostable(subscriptionList({ purpose, rows, page: 1 }));
  }
});

test('paging through a list shows each subscription once', () => {
  const rows = Array.from({ length: 37 }, (_, index) => ({
    id: `id-${index}`,
    subscribed: {
      target: { kind: 'project' as const, projectId: '123-456-789' },
      name: null,
      comprehensive: true,
    },
    owner: { userId: 'U1', name: 'Dana Ek' },
    settings: {
      filters: { only: [], paths: [], by: [], notBy: [] },
      delivery: { when: 'live' as const },
      threads: false,
    },
    state: 'active' as const,
    lastEventAt: null,
  }));
  const ids: string[] = [];
  let at: { purpose: 'subscriptions' | 'unsubscribe'; page: number } | null = {
    purpose: 'subscriptions',
    page: 0,
  };
  while (at !== null) {
    const { blocks } = subscriptionList({ ...at, rows });
    ids.push(...pressable(blocks, 'remove').map(({ id }) => id));
    const [next] = pressable(blocks, 'list-page.next');
    at = next ?? null;
  }
  expect(ids).toEqual(rows.map(({ id }) => id));
});

test.for([
  '',
  'fa6107ef1k',
  'unsubscribe/1',
  'unsubscribe:-1/1',
  'unsubscribe:1:2/1',
  'elsewhere:1/1',
  'subscriptions:1e9/1',
])('the page %o of a row is refused', (value) => {
  expect(readListPage(value)).toBeNull();
});

test('a value that Slack would cut is refused instead', () => {
  expect(() => button('x', 'X', { value: 'v'.repeat(2_001) })).toThrow(RangeError);
  expect(() => button('x', 'X', { url: `https://x.example/${'u'.repeat(3_000)}` })).toThrow(RangeError);
  expect(() => showAllView({ changes: [], page: 0, metadata: 'm'.repeat(3_001) })).toThrow(RangeError);
});

test('as many parts fit as there is room for, including the remark about the rest', () => {
  expect(howManyFit([3, 3, 3], 9)).toBe(3);
  expect(howManyFit([3, 3, 3], 9, 2)).toBe(3);
  expect(howManyFit([3, 3, 4], 9, 2)).toBe(2);
  expect(howManyFit([3, 3, 4], 9, 4)).toBe(1);
  expect(howManyFit([10], 9)).toBe(0);
});

test('parts that do not fit are counted', () => {
  expect(fitInto(['aaaa', 'bbbb', 'cccc'], { max: 100, joint: ', ' })).toBe('aaaa, bbbb, cccc');
  const many = Array.from({ length: 100 }, () => 'aaaa');
  const fitted = fitInto(many, { max: 60, joint: ', ', noun: 'names' });
  expect(fitted).toMatch(/^aaaa(, aaaa)*, … and \d+ more names$/);
  expect(fitted.length).toBeLessThanOrEqual(60);
});

type Asked = { id: string; purpose: 'subscriptions' | 'unsubscribe'; page: number };

/** Returns what buttons with this id ask for. */
function pressable(value: unknown, actionId: string): Asked[] {
  if (typeof value !== 'object' || value === null) return [];
  const own =
    'action_id' in value && value.action_id === actionId && 'value' in value
      ? [JSON.parse(String(value.value))]
      : [];
  return [...own, ...Object.values(value).flatMap((inner) => pressable(inner, actionId))];
}
