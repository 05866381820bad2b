import { expect, test } from 'vitest';
import type { EventRow } from '../../../sandbox/demo/bot-database.ts';
import { accountOf } from '../../../sandbox/demo/ledger.ts';

const row = (id: string, more: Partial<EventRow> = {}): EventRow => ({
  seq: 1,
  notificationId: id,
  serviceSubscriptionId: 7,
  channelId: 'C1',
  state: 'posted',
  reason: null,
  messageTs: '1.1',
  receivedAt: new Date(0),
  postedAt: new Date(0),
  ...more,
});

const delivery = (id: string, state: 'waiting' | 'received' | 'failed' = 'received', subscriptionId = 7) => ({
  state,
  subscriptionId,
  notifications: [
    { Id: id, SubscriptionId: subscriptionId, ExtraInformation: { EventType: 'Create', Name: `${id}.pdf` } },
  ],
});

const noRuns = new Map();

test('a notification that was accepted and is not in the database counts as lost', () => {
  const { all } = accountOf([delivery('A'), delivery('B')], [row('a')], noRuns);
  expect(all).toMatchObject({ made: 2, accepted: 2, posted: 1, lost: 1 });
});

test('a notification sent twice counts once, and a refused one counts as neither accepted nor lost', () => {
  const sent = [delivery('{A}'), delivery('{A}'), delivery('{B}', 'failed'), delivery('{C}', 'waiting')];
  const { all } = accountOf(sent, [row('a')], noRuns);
  expect(all).toMatchObject({ made: 3, accepted: 1, posted: 1, lost: 0 });
});

test('each event is in one state, and a message counts once, even if it shows several events', () => {
  const rows = [
    row('a'),
    row('b'),
    row('c', { state: 'filtered', reason: 'path', messageTs: null, postedAt: null }),
    row('d', { state: 'pending', reason: 'digest', messageTs: null, postedAt: null }),
    row('e', { state: 'dead', reason: 'channel_not_found', messageTs: null, postedAt: null }),
  ];
  const { all, latest } = accountOf(
    ['A', 'B', 'C', 'D', 'E'].map((id) => delivery(id)),
    rows,
    noRuns,
  );
  expect(all).toEqual({
    made: 5,
    accepted: 5,
    posted: 2,
    filtered: 1,
    waiting: 1,
    dead: 1,
    lost: 0,
    messages: 1,
  });
  expect(latest.map(({ name }) => name)).toEqual(['E.pdf', 'D.pdf', 'C.pdf', 'B.pdf', 'A.pdf']);
});

test('a try only counts events in its own channel, from its start', () => {
  const sent = [delivery('A'), delivery('B'), delivery('B2', 'received', 8)];
  const rows = [row('a'), row('b'), row('b2', { serviceSubscriptionId: 8, channelId: 'C2' })];
  const { runs } = accountOf(sent, rows, new Map([['second', { from: 1, to: 3, channelId: 'C1' }]]));
  expect(runs.get('second')).toMatchObject({ made: 1, posted: 1 });
});
