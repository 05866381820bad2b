import { expect, test } from 'vitest';
import {
  assertClean,
  checkDelivery,
  type EventRow,
  itemName,
  type LoggedMessage,
  type Sent,
} from './checker.ts';

const channel = 'C0PLANS';

function sent(index: number, more: Partial<Sent> = {}): Sent {
  return {
    notificationId: `id-${index}`,
    status: 200,
    subscription: 'token',
    channel,
    index,
    at: index,
    ...more,
  };
}

function event(index: number, more: Partial<EventRow> = {}): EventRow {
  return {
    seq: String(index),
    notificationId: `id-${index}`,
    subscriptionId: 'subscription',
    channelId: channel,
    state: 'posted',
    reason: null,
    messageTs: `${index}.000000`,
    receivedAt: new Date(index),
    postedAt: new Date(index + 1),
    inTurn: true,
    parent: '412-873-550',
    item: `item-${index}`,
    name: itemName(index),
    ...more,
  };
}

function message(at: number, text: string, more: Partial<LoggedMessage> = {}): LoggedMessage {
  return {
    channelId: channel,
    ts: `${at}.000000`,
    viewerId: undefined,
    text,
    blocks: [],
    edits: [],
    postedAt: at * 1_100,
    deletedAt: undefined,
    threadTs: undefined,
    ...more,
  };
}

const showAll = (count: string) => [
  {
    type: 'actions',
    elements: [{ type: 'button', text: { type: 'plain_text', text: `Show all ${count}` } }],
  },
];

test('a delivery in which each notification is posted once is clean', () => {
  const result = checkDelivery({
    sent: [
      sent(1),
      sent(1, { notificationId: '{ID-1}' }),
      sent(2),
      sent(3),
      sent(4),
      sent(5, { status: 503 }),
    ],
    events: [
      event(1),
      event(2),
      event(3, { state: 'filtered', reason: 'type', messageTs: null }),
      event(4, { state: 'pending', reason: 'muted', messageTs: null }),
    ],
    messages: [
      message(0, 'Dana Reyes added project 412-873-550 to this channel and everything in it.'),
      message(1, `Sam added ${itemName(1)}.`),
      message(2, `Sam added ${itemName(2)}.`),
    ],
  });

  expect(result.findings).toEqual([]);
  expect(result.counts).toEqual({
    accepted: 4,
    posted: 2,
    filtered: 1,
    dead: 0,
    pending: 1,
    lost: 0,
    doubled: 0,
    outOfOrder: 0,
    smallestGapMs: 1_100,
  });
  expect(() => assertClean(result)).not.toThrow();
});

test.each([
  ['it is not stored', [], 'no row'],
  ['it is pending without a reason', [event(1, { state: 'pending', messageTs: null })], 'without a reason'],
  ['it is dead without a reason', [event(1, { state: 'dead', messageTs: null })], 'without a reason'],
  ['its message is in no channel', [event(1, { messageTs: '9.000000' })], 'not in the channel'],
  ['its message is in another channel', [event(1, { channelId: 'C0OTHER' })], 'no row'],
  ['it is stored twice', [event(1), event(1, { seq: '2', subscriptionId: 'other' })], '2 rows'],
])('a notification is lost if %s', (_what, events, problem) => {
  const result = checkDelivery({
    sent: [sent(1)],
    events,
    messages: [message(1, `Sam added ${itemName(1)}.`)],
    allowedDoubles: 1,
  });

  expect(result.counts.lost).toBe(1);
  expect(result.findings.join()).toContain(problem);
  expect(() => assertClean(result)).toThrow('lost');
});

test('a notification whose message was deleted, or was visible to only one person, is lost', () => {
  const messages = [
    message(1, itemName(1), { deletedAt: 5 }),
    message(2, itemName(2), { viewerId: 'U0DANA' }),
  ];

  expect(
    checkDelivery({ sent: [sent(1), sent(2)], events: [event(1), event(2)], messages }).counts.lost,
  ).toBe(2);
});

test('a message posted again after a crash is one double, and only the stated number of doubles is allowed', () => {
  const delivery = {
    sent: [sent(1), sent(2)],
    events: [event(1, { messageTs: '3.000000' }), event(2, { messageTs: '3.000000' })],
    messages: [
      message(2, `Sam added ${itemName(1)}.`),
      message(3, `Sam added ${itemName(1)} and ${itemName(2)}.`),
    ],
  };

  expect(checkDelivery(delivery).counts.doubled).toBe(1);
  expect(checkDelivery(delivery).findings.join()).toContain('doubled');
  expect(checkDelivery({ ...delivery, allowedDoubles: 1 }).findings).toEqual([]);
});

test('an item named in two messages is a double, also if an edit removed the name from one of them', () => {
  const result = checkDelivery({
    sent: [sent(1), sent(2)],
    events: [event(1), event(2)],
    messages: [
      message(1, `Sam added ${itemName(1)}.`),
      message(2, `Sam added ${itemName(2)}.`, {
        edits: [{ text: itemName(1), blocks: [], attachments: [], until: 3 }],
      }),
    ],
  });

  expect(result.counts.doubled).toBe(1);
});

test('a card that no event points at is a double, even if it names nothing', () => {
  const result = checkDelivery({
    sent: [sent(1, { status: 503 })],
    events: [],
    messages: [message(1, 'Sam added 24 files to Plans.'), message(2, 'Hello', { channelId: 'D0DANA' })],
  });

  expect(result.counts.doubled).toBe(1);
});

test('a card that counts more changes than its events is a double, and one that counts fewer leaves some unposted', () => {
  const events = [event(1), event(2, { messageTs: '1.000000' })];
  const counting = (count: string) =>
    checkDelivery({
      sent: [],
      events,
      messages: [message(1, 'Sam added files.', { blocks: showAll(count) })],
    });

  expect(counting('2').findings).toEqual([]);
  expect(counting('1,003').counts.doubled).toBe(1);
  expect(counting('1').findings.join()).toContain('missing');
});

test('an event is missing if its message is complete and does not name it', () => {
  const result = checkDelivery({
    sent: [],
    events: [event(1), event(2, { messageTs: '1.000000' })],
    messages: [message(1, `Sam added ${itemName(1)}.`)],
  });

  expect(result.findings.join()).toContain(`does not name ${itemName(2)}`);
});

test('a message accepted later and posted earlier is out of order, except in another thread or if it was held', () => {
  const messages = [message(1, itemName(2)), message(2, itemName(1))];
  const swapped = (more: Partial<EventRow> = {}) => [
    event(1, { messageTs: '2.000000', ...more }),
    event(2, { messageTs: '1.000000' }),
  ];
  const count = (events: readonly EventRow[], log: readonly LoggedMessage[] = messages) =>
    checkDelivery({ sent: [], events, messages: log }).counts.outOfOrder;

  expect(count(swapped())).toBe(1);
  expect(count(swapped({ inTurn: false }))).toBe(0);
  expect(count(swapped({ parent: '111-111-111' }))).toBe(0);
  expect(count(swapped(), [message(1, itemName(2)), message(2, itemName(1), { threadTs: '0.5' })])).toBe(0);
  expect(count(swapped({ item: 'item-2' }), [message(1, '', { threadTs: '0.5' }), message(2, '')])).toBe(1);
});

test('posts that came too fast are found, and the smallest gap is reported', () => {
  const messages = [message(1, itemName(1)), message(2, itemName(2), { postedAt: 1_400 })];
  const result = checkDelivery({ sent: [], events: [event(1), event(2)], messages, tooFast: 1 });

  expect(result.findings).toEqual(['1 calls came faster than Slack allows']);
  expect(result.counts.smallestGapMs).toBe(300);
});
