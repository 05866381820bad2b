import type { Bot } from '../core/bot.ts';
import type { Channel } from '../core/model/people.ts';
import { makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeReceive } from '../core/receiving/receive.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import { makeTakeNotifications } from '../http/receiver/take-notifications.ts';
import { parseNotifications } from '../service/notifications.ts';
import { connectPipelined } from '../store/database.ts';
import { makeRequestTimes, refusedNotifications } from '../store/tables/request-times.ts';
import { readOrCreateSecret } from '../store/tables/secrets.ts';
import type { Foundation } from './compose.ts';

type ReceivingUses = Pick<Foundation, 'env' | 'connection'> & {
  readonly metrics: Metrics;
  /** Called with lanes in which new events are pending. */
  readonly wake: (lanes: readonly Channel[]) => void;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Composes the tokens of callback URLs. All processes share their key. */
export async function composeCallbackTokens({ database, sealing }: Pick<Foundation, 'database' | 'sealing'>) {
  const key = await readOrCreateSecret({ db: database.db, sealing }, 'callback tokens');
  return makeCallbackTokens({ key: Buffer.from(key, 'base64') });
}

/** Composes the path of a notification from its request to the commit. `close` closes the connections. */
export function composeReceiving(
  bot: Pick<Bot, 'clock' | 'db' | 'keyv' | 'log' | 'sealing' | 'tokens'>,
  { env, connection, metrics, wake, headers }: ReceivingUses,
) {
  const { log } = bot;
  const { signature } = env.service;
  const accepting = connectPipelined({ connection, log, max: 2, applicationName: 'plancast accepting' });
  // Without the database, the first notification opens it. A worker accepts none.
  if (env.role !== 'worker') accepting.pool.query('select').catch(() => undefined);
  const receive = makeReceive({ ...bot, pool: accepting.pool, wake, counted: metrics.accepted });
  const times = makeRequestTimes(bot);
  const takeNotifications = makeTakeNotifications(bot, {
    signature,
    receive,
    parse: parseNotifications,
    headers,
    counted: (result, seconds) => {
      metrics.notification(result, seconds);
      if (result === 'wrong signature') times.note(refusedNotifications(signature));
    },
  });
  return { takeNotifications, close: accepting.close };
}
