import { randomBytes } from 'node:crypto';
import type { Bot } from '../core/bot.ts';
import { deliver } from '../core/delivering/deliver.ts';
import { rowCount } from '../core/delivering/mark-turn.ts';
import type { Channel } from '../core/model/people.ts';
import { startDispatch } from '../jobs/dispatch.ts';
import { makeInBatches } from '../lib/in-batches.ts';
import type { Message } from '../messages/text/message.ts';
import { type Connection, connectLanes } from '../store/database.ts';
import { listenForLanes, signalLanes } from '../store/lane-signals.ts';
import { makeLaneQueue } from '../store/tables/lane-queue.ts';
import type { MarkedTurn } from '../store/tables/turn-mark.ts';
import type { Foundation } from './compose.ts';

/** The most turns, events and items that one statement marks, and the milliseconds from one start to the next. */
const markBatches = { most: 5_000, gapMs: 25 };

/** Composes the queue of lanes, on connections of its own: for claims, for marks, and for rarer statements. `close` closes them. */
export function composeQueue({ connection, log }: Pick<Foundation, 'connection' | 'log'>) {
  const { pool, close } = connectLanes({ connection, log, max: 3, applicationName: 'plancast lanes' });
  const queue = makeLaneQueue<Message>(pool);
  const mark = makeInBatches<MarkedTurn>({
    run: queue.mark,
    ...markBatches,
    weigh: ({ mark }) => 1 + rowCount(mark),
  });
  return { take: queue.take, sweep: queue.sweep, mark, close };
}

/** Starts to run the turns of lanes. `wake` names lanes with something pending. */
export function startDelivering(bot: Bot, queue: ReturnType<typeof composeQueue>, connection: Connection) {
  const { clock, log } = bot;
  const dispatch = startDispatch({
    queue,
    deliver: (taken) => deliver(bot, taken),
    processId: randomBytes(9).toString('base64url'),
    now: () => clock.now(),
    log,
  });
  const listener = listenForLanes({
    connection,
    log,
    onSignal: (lanes) => (lanes === null ? dispatch.wakeAll() : dispatch.wake(lanes)),
  });
  return {
    wake: dispatch.wake,
    async stop(): Promise<void> {
      await dispatch.stop();
      await listener.close();
    },
  };
}

/** The most groups of lanes in one signal, and the milliseconds between two. */
const signalBatches = { most: 1_000, gapMs: 10 };

/** For a process that does not post: signals lanes with new events to those that do. If that fails, their sweep finds them. */
export function signalDelivering({ db, log }: Bot): ReturnType<typeof startDelivering> {
  const signal = makeInBatches<readonly Channel[]>({
    ...signalBatches,
    run: async (lanes) => {
      await signalLanes(db, lanes.flat());
      return new Set(lanes);
    },
  });
  const wake = (lanes: readonly Channel[]) =>
    void signal(lanes).catch((error: unknown) =>
      log.warn({ err: error }, 'could not signal pending lanes to other processes'),
    );
  return { wake, stop: async () => {} };
}
