import { setTimeout as sleep } from 'node:timers/promises';
import type { PostOutcome } from '../core/channels/post.ts';
import { makeDeliver } from '../core/delivering/deliver.ts';
import { rowCount } from '../core/delivering/mark-apart.ts';
import { makePrepareTurn } from '../core/delivering/prepare-turn.ts';
import { makeTableRefusals, tableRefusalMs } from '../core/delivering/table-refusals.ts';
import { betweenPostsMs } from '../core/model/lane-pace.ts';
import type { Outage } from '../core/model/outage.ts';
import { isDirect } from '../core/model/people.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import { processorMs } from '../lib/processor-ms.ts';
import { renderActivity } from '../messages/activity/activity.ts';
import { menuActs } from '../messages/activity/menu.ts';
import type { Message } from '../messages/text/message.ts';
import { type Connection, connectLanes } from '../store/database.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import { makeLaneQueue, type NotedAttempt } from '../store/tables/lane-queue.ts';
import type { MarkedTurn } from '../store/tables/turn-mark.ts';
import type { Base } from './base.ts';
import type { Rooms } from './core.ts';
import { makeLogTurn } from './log-events.ts';

/** The most turns, events and items that one statement marks, the most posts that one stores, and the milliseconds from one start to the next. */
const markBatches = { most: 5_000, gapMs: 25 };
const noteBatches = { most: 150, gapMs: 10 };

type DeliveringUses = {
  readonly connection: Connection;
  readonly core: Rooms;
  readonly lastOutage: () => Outage | null;
};

/** Composes the lane queue and the turns of lanes. `close` closes the connections. */
export function composeDelivering(base: Base, { connection, core, lastOutage }: DeliveringUses) {
  const { store, slack, metrics, clock, log } = base;
  const { bot, linking, channels, upstream } = core;
  const { tables, transact } = store;
  const { post, edit, lookUp } = slack;
  const logTurn = makeLogTurn({ traces: store.traces, subscriptions: tables.subscriptions, log });
  const counted =
    <T extends unknown[]>(act: (...message: T) => Promise<PostOutcome>) =>
    async (...message: T) => {
      const outcome = await act(...message);
      metrics.post(outcome.kind);
      return outcome;
    };
  // One for claims, one for marks, and one for rarer statements.
  const { pool, close } = connectLanes({ connection, log, max: 3, applicationName: 'plancast lanes' });
  const queue = makeLaneQueue<Message>({ pool, betweenPostsMs, counted: metrics.statement });
  const markTogether = makeInBatches<MarkedTurn>({
    run: queue.mark,
    ...markBatches,
    weigh: ({ mark }) => 1 + rowCount(mark),
  });
  const noteTogether = makeInBatches<NotedAttempt>({ run: queue.noteAttempts, ...noteBatches });
  const deliver = makeDeliver({
    clock,
    mark: ({ lane, fence }, mark) => markTogether({ lane, fence, mark }),
    noteAttempt: ({ lane, fence }, attempt) => noteTogether({ lane, fence, attempt }),
    tables,
    transact,
    post: counted(post),
    edit: counted(edit),
    lookUp,
    bot,
    prepareTurn: makePrepareTurn({
      processorMs,
      loadItems: tables.items.load,
      learned: tables.items.learned,
      lastOutage,
      duplicates: tables.events.duplicates,
      bot,
      emailsOf: linking.emailsOf,
      log,
    }),
    // Events in a direct message are already posted there.
    offersIn: ({ channelId }) => menuActs.filter((act) => act !== 'follow' || !isDirect(channelId)),
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    tableRefusals: makeTableRefusals({
      refusedAt: makeRecords({ keyv: store.keyv, namespace: 'table-refusals', ttlMs: tableRefusalMs }),
      clock,
    }),
    pauseChannel: channels.pauseChannel,
    endMute: channels.mute.end,
    sleep,
    noted: (turn, state, at) => {
      metrics.settled(turn, state, at);
      void logTurn(turn);
      if (turn.ended.length > 0) upstream.releaseSoon();
    },
    givenBack: metrics.givenBack,
    log,
  });
  return { queue, deliver, close };
}
