import { randomBytes } from 'node:crypto';
import type { Channel } from '../core/model/people.ts';
import { type CallbackTokens, makeCallbackTokens } from '../core/receiving/callback-token.ts';
import { makeJudgeSignature } from '../core/receiving/judge-signature.ts';
import { observe, verify } from '../core/receiving/key-signatures.ts';
import { makePassOn } from '../core/receiving/pass-on.ts';
import { isStillGone, makeReceive } from '../core/receiving/receive.ts';
import { notificationRoutes } from '../http/receiver/notifications.ts';
import { makeTakeNotifications } from '../http/receiver/take-notifications.ts';
import { makeRateLimit } from '../lib/rate-limit.ts';
import { parseNotifications } from '../service/notifications.ts';
import { type Connection, connectPipelined } from '../store/database.ts';
import { makeAcceptEvents } from '../store/tables/accept-events.ts';
import { passOn as passOnSome } from '../store/tables/pass-on.ts';
import { makeRequestTimes, refusedNotifications } from '../store/tables/request-times.ts';
import type { Base } from './base.ts';
import { logTaken } from './log-events.ts';

const limits = {
  looks: { most: 50, withinMs: 10_000, keys: 1 },
  receiving: { waiting: 5_000, bytes: 64 * 1024 * 1024, inTransaction: 500, events: 1_000 },
};

type ReceivingBase = Omit<Base, 'copy' | 'queue' | 'service' | 'slack' | 'transactions'>;

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

/** Composes the path of a notification from its request to the commit. `passOn` gives waiting events to people
 * who follow single items; `close` does that a last time, and closes the connections. */
export function composeReceiving(base: ReceivingBase, { connection, wake, tokens, headers }: ReceivingUses) {
  const { env, store, sealing, metrics, clock, log } = base;
  const { tables } = store;
  const monotonic = () => performance.now();
  const looks = makeRateLimit({ ...limits.looks, now: monotonic });
  const judgeSignature = makeJudgeSignature({
    setting: env.service.signature,
    verify,
    observe,
    mayLook: () => looks.take('').allowed,
    sealedKeyOf: tables.subscriptions.sealedKeyOf,
    openKey: async ({ id, sealedKey, replaced }) => {
      const column = replaced ? 'previous_sealed_key' : 'sealed_key';
      return sealedKey && sealing.open({ table: 'subscriptions', row: id, column }, sealedKey);
    },
    noteRule: tables.subscriptions.noteSignature,
    log,
  });
  const accepting = connectPipelined({ connection, log, max: 2, applicationName: 'plancast accepting' });
  const acceptEvents = makeAcceptEvents({ pool: accepting.pool });
  const passOn = makePassOn({ passOn: () => passOnSome(store.pool), wake });
  // What fails or is interrupted is passed on by the next call, or by the chore.
  const passOnSoon = () =>
    passOn().catch((error: unknown) => log.warn({ err: error }, 'could not pass events on to followers'));
  const receive = makeReceive({
    clock,
    byTokenHashes: tables.subscriptions.byTokenHashes,
    accept: async (...arrived) => {
      const accepted = await acceptEvents(...arrived);
      metrics.statement('accept');
      metrics.accepted(accepted.added);
      wake(accepted.lanes);
      if (accepted.toPassOn > 0) void passOnSoon();
      return accepted;
    },
    limits: limits.receiving,
  });

  const times = makeRequestTimes({ keyv: store.keyv, now: () => clock.now(), log });
  const takeNotifications = makeTakeNotifications({
    isOurToken: tokens.isOurs,
    hashToken: tokens.hash,
    receive,
    parse: parseNotifications,
    ...judgeSignature,
    headers,
    log,
    counted: (result, seconds) => {
      metrics.notification(result, seconds);
      if (result === 'wrong signature') times.note(refusedNotifications(env.service.signature));
    },
    noted: log.isLevelEnabled('debug') ? (taken) => logTaken(log, taken) : undefined,
  });
  const routes = notificationRoutes({
    isOurToken: tokens.isOurs,
    hashToken: tokens.hash,
    stands,
    counted: metrics.notification,
  });
  return { takeNotifications, routes, passOn, close: () => Promise.all([passOnSoon(), accepting.close()]) };

  async function stands(hash: Buffer): Promise<'live' | 'removed' | 'unknown'> {
    const found = (await tables.subscriptions.byTokenHashes([hash], clock.now())).get(hash.toString('hex'));
    if (!found) return 'unknown';
    if (found.state !== 'ended') return 'live';
    return isStillGone(found, clock.now()) ? 'removed' : 'unknown';
  }
}
