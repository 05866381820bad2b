import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rememberedKeys } from '../../src/core/model/items.ts';
import { fingerprintOf } from '../../src/core/receiving/receive.ts';
import { parseNotifications } from '../../src/service/notifications.ts';
import { connect, connectPipelined } from '../../src/store/database.ts';
import { signalLanes } from '../../src/store/lane-signals.ts';
import { acceptEvents } from '../../src/store/tables/accept-events.ts';
import { newMark } from '../bench.ts';
import { notificationBody, type Target } from '../load/notification.ts';
import type { BenchDatabase } from './database.ts';
import { silentLog } from './silent-log.ts';

/** Milliseconds between two notifications of a channel: always a little sooner than the previous one can have been posted. */
const everyMs = 900;
/** How many are stored at once, as a `web` process does with what arrives together. */
const together = 50;

/** A flood that can be ended; `end` can be called twice. */
export type Flood = { readonly end: () => Promise<void> };

/**
 * Stores notifications as a `web` process would (the bot's own statement, and its signal to the workers), without the requests: the machine
 * should be busy with posting. They are deletions, which are never edited into another message: with other changes, each channel would wait
 * for an edit, for three seconds, after eight messages in a row.
 */
export function startFlood({ url, targets }: Pick<BenchDatabase, 'url' | 'targets'>): Flood {
  const options = { connection: { connectionString: url }, log: silentLog, max: 2 };
  const accepting = connectPipelined(options);
  const database = connect(options);
  const mark = newMark();
  const batches = Math.ceil(targets.length / together);
  let ending = false;
  let number = 0;

  const eventOf = (target: Target) => {
    const [notification] = parseNotifications(
      JSON.parse(notificationBody(target, { mark }, number++, 'Delete')),
    );
    if (!notification) throw new Error('the benchmark creates notifications that the bot cannot read');
    return {
      tokenHash: hash('sha256', target.token, 'buffer'),
      notification,
      fingerprint: fingerprintOf(notification),
      itemKeys: rememberedKeys(notification),
    };
  };

  const flooding = (async () => {
    const began = performance.now();
    for (let batch = 0; !ending; batch++) {
      const first = (batch % batches) * together;
      const events = targets.slice(first, first + together).map(eventOf);
      const { lanes } = await acceptEvents(
        accepting.pool,
        events,
        events.map(({ tokenHash }) => tokenHash),
        new Date(),
      );
      await signalLanes(database.db, lanes);
      const due = began + ((batch + 1) * everyMs) / batches;
      await sleep(Math.max(0, due - performance.now()));
    }
  })();
  // `end` throws it.
  flooding.catch(() => undefined);
  let ended: Promise<void> | undefined;

  async function endAll(): Promise<void> {
    ending = true;
    try {
      await flooding;
    } finally {
      await accepting.close();
      await database.close();
    }
  }

  return { end: () => (ended ??= endAll()) };
}
