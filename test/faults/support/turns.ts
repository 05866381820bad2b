import { randomBytes } from 'node:crypto';
import { tablesOn } from '../../../src/compose/store.ts';
import type { Bot } from '../../../src/core/bot.ts';
import { makePauseChannel } from '../../../src/core/channels/pause-channel.ts';
import { makeDeliver } from '../../../src/core/delivering/deliver.ts';
import type { DeliverDeps } from '../../../src/core/delivering/deliver-deps.ts';
import { makePrepareTurn } from '../../../src/core/delivering/prepare-turn.ts';
import type { Clock } from '../../../src/core/model/clock.ts';
import { betweenPostsMs } from '../../../src/core/model/lane-pace.ts';
import type { Channel } from '../../../src/core/model/people.ts';
import type { Filters } from '../../../src/core/model/subscription.ts';
import { renderActivity } from '../../../src/messages/activity/activity.ts';
import type { Message } from '../../../src/messages/text/message.ts';
import type { ConnectedDatabase, connectLanes } from '../../../src/store/database.ts';
import { makeLaneQueue } from '../../../src/store/tables/lane-queue.ts';

type TurnsDeps = Pick<DeliverDeps, 'post' | 'edit' | 'lookUp' | 'givenBack'> & {
  readonly connected: ConnectedDatabase;
  readonly lanesPool: ReturnType<typeof connectLanes>;
  readonly clock: Clock;
  readonly processorMs?: () => number;
};

/** Makes the bot's own queue and turns on real tables, with a Slack and a clock of the test. */
export function makeTurns({ connected, lanesPool, clock, processorMs, ...slack }: TurnsDeps) {
  const tables = tablesOn(connected.db);
  const transact = <T>(work: (inside: ReturnType<typeof tablesOn>) => Promise<T>) =>
    connected.db.transaction().execute((trx) => work(tablesOn(trx)));
  const slackSide = { nameOf: async () => 'Sam Okafor' };
  const bot = { db: connected.db, clock, slack: slackSide, config: { links: {} } } as unknown as Bot;
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const queue = makeLaneQueue<Message>({ pool: lanesPool.pool, betweenPostsMs });
  const deliver = makeDeliver({
    ...slack,
    tableRefusals: { note: async () => {}, mayTry: async () => true },
    endMute: async () => {},
    offersIn: () => [],
    clock,
    sleep: async () => {},
    mark: async ({ lane, fence }, mark) => (await queue.mark([{ lane, fence, mark }])).size === 1,
    noteAttempt: async ({ lane, fence }, attempt) =>
      (await queue.noteAttempts([{ lane, fence, attempt }])).size === 1,
    tables,
    transact,
    prepareTurn: makePrepareTurn({
      bot,
      loadItems: tables.items.load,
      processorMs: processorMs ?? (() => performance.now()),
      learned: tables.items.learned,
      lastOutage: () => null,
      duplicates: tables.events.duplicates,
      emailsOf: async () => [],
      log,
    }),
    bot,
    renderActivity: (input) => renderActivity({ ...input, showAllValue: 'message' }),
    pauseChannel: makePauseChannel({
      clock,
      directMessage: async () => undefined,
      botNameOf: async () => 'plancast',
      log,
    }),
    log,
  });

  return {
    tables,
    transact,
    queue,
    deliver,
    /** Makes an active subscription of a channel to project 412-873-550. Returns the hash of its callback token. */
    async subscribe(
      lane: Channel,
      {
        record,
        threads = false,
        filters = {},
      }: { record: string; threads?: boolean; filters?: Partial<Filters> },
    ): Promise<Buffer> {
      const callback = { callbackTokenHash: randomBytes(32), callbackBase: 'http://127.0.0.1' };
      const row = await tables.subscriptions.add({
        ...lane,
        ...callback,
        ownerUserId: 'U0DANA',
        target: { kind: 'project', projectId: '412-873-550' },
        comprehensive: true,
        filters: { only: [], paths: [], by: [], notBy: [], ...filters },
        delivery: { when: 'live' },
        threads,
        now: clock.now(),
      });
      const side = { serviceSubscriptionId: record, sealedKey: null, resourcePath: null, ...callback };
      await tables.subscriptions.activate(row?.id ?? '', side, clock.now());
      return callback.callbackTokenHash;
    },
  };
}
