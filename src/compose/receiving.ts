import { randomBytes } from 'node:crypto';
import type { Channel } from '../core/model/people.ts';
import { type CallbackTokens, makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeReceive } from '../core/receiving/receive.ts';
import { makeTakeNotifications, notificationRoutes } from '../http/receiver/take-notifications.ts';
import { parseNotifications } from '../service/notifications.ts';
import { type Connection, connectPipelined } from '../store/database.ts';
import { makeRequestTimes, refusedNotifications } from '../store/tables/request-times.ts';
import type { Base } from './base.ts';

type ReceivingUses = {
  readonly connection: Connection;
  /** Called with lanes in which new events are pending. */
  readonly wake: (lanes: readonly Channel[]) => void;
  readonly tokens: CallbackTokens;
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
};

/** Composes the tokens of callback URLs. All processes share their key. */
export async function composeCallbackTokens({ secrets }: Pick<Base['store'], 'secrets'>) {
  const key = await secrets.readOrCreate('callback tokens', () => randomBytes(32).toString('base64'));
  return makeCallbackTokens({ key: Buffer.from(key, 'base64') });
}

/** Composes the path of a notification from its request to the commit. `close` closes the connections. */
export function composeReceiving(
  { env, store, sealing, metrics, clock, log }: Omit<Base, 'copy' | 'queue' | 'service' | 'slack' | 'sleep'>,
  { connection, wake, tokens, headers }: ReceivingUses,
) {
  const bot = { clock, db: store.db, sealing, tokens, log };
  const { signature } = env.service;
  const accepting = connectPipelined({ connection, log, max: 2, applicationName: 'plancast accepting' });
  // Without the database, the first notification opens it. A worker accepts none.
  if (env.role !== 'worker') accepting.pool.query('select').catch(() => undefined);
  const receive = makeReceive({ ...bot, pool: accepting.pool, wake, counted: metrics.accepted });
  const times = makeRequestTimes({ keyv: store.keyv, now: () => clock.now(), log });
  const takeNotifications = makeTakeNotifications({
    ...bot,
    signature,
    receive,
    parse: parseNotifications,
    headers,
    counted: (result, seconds) => {
      metrics.notification(result, seconds);
      if (result === 'wrong signature') times.note(refusedNotifications(signature));
    },
  });
  const routes = notificationRoutes({ ...bot, counted: metrics.notification });
  return { takeNotifications, routes, close: accepting.close };
}
