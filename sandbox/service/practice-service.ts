import { randomBytes, randomUUID } from 'node:crypto';
import { type Act, makeAct } from './act.ts';
import { makeApi } from './api.ts';
import { type Client, makeAuthorize } from './authorize.ts';
import { type Change, eventTypeOf } from './changes.ts';
import { type Clock, makeClock } from './clock.ts';
import { makeControl } from './control.ts';
import { makeData, type PracticeData } from './data.ts';
import { type Deliveries, makeDeliveries, type RawOptions } from './delivery.ts';
import { type Faults, makeFaults } from './faults.ts';
import { makeLimits } from './limits.ts';
import { makeLog, type PracticeLog } from './log.ts';
import { notificationOf, receives } from './notifications.ts';
import { PracticeError } from './practice-error.ts';
import { holds, resourcePath, samePlace } from './resources.ts';
import { BASE_PATH, makeRoutes } from './routes.ts';
import { harbourTower, type Seed } from './seed.ts';
import { makeSender } from './sender.ts';
import { startServer } from './server.ts';
import { makeSubscriptionEndpoints } from './subscription-endpoints.ts';
import { makeSubscriptions, type Subscriptions } from './subscriptions.ts';
import { makeSwitches, type SwitchBoard, type SwitchValues } from './switches.ts';
import { makeTokenEndpoint } from './token-endpoint.ts';
import { makeTokens, type Tokens } from './tokens.ts';

export type PracticeServiceOptions = {
  /** Default, and 0: any free port. */
  port?: number | undefined;
  clientId: string;
  clientSecret: string;
  redirectUris: readonly string[];
  /** The base of the service's clock; default: real time. */
  now?: (() => number | Date) | undefined;
  switches?: Partial<SwitchValues> | undefined;
  seed?: Seed | undefined;
  /** Returns 0 to below 1, for shuffled deliveries. */
  random?: (() => number) | undefined;
  /** Timeout of a callback in milliseconds; default 10 s. */
  callbackTimeoutMs?: number | undefined;
};

export type PracticeService = {
  /** {base_url}: `http://127.0.0.1:PORT/v1`. */
  baseUrl: string;
  /** {auth_url}: `http://127.0.0.1:PORT`. */
  authUrl: string;
  clock: Clock;
  data: PracticeData;
  switches: SwitchBoard;
  faults: Faults;
  log: PracticeLog;
  subscriptions: Subscriptions;
  deliveries: Deliveries;
  act: Act;
  /** Returns an access token, valid for 60 minutes, without using the pages. With `app: false`, one issued without an app. */
  accessToken(user: string, grant?: { scope?: string | undefined; app?: boolean | undefined }): string;
  /** The user revokes, on the service's own pages, what was granted to the app. */
  revoke(user: string): void;
  /**
   * Sends any body (strings as is, everything else as JSON) to the Uri of a subscription, even a removed one. Throws PracticeError
   * (`unknown`) if it never existed or does not respond.
   */
  deliverRaw(
    subscriptionId: number,
    body: unknown,
    options?: RawOptions,
  ): Promise<{ status: number; body: string }>;
  /** Resolves when every notification that is not held has been answered or given up. */
  settled(): Promise<void>;
  /** Every token, code and Key ever issued, and the client secret: tests check that none of them leaks. */
  secrets(): string[];
  close(): Promise<void>;
};

const CALLBACK_TIMEOUT_MS = 10_000;

/** Starts the whole practice service on loopback. */
export async function startPracticeService(options: PracticeServiceOptions): Promise<PracticeService> {
  const client: Client = {
    id: options.clientId,
    secret: options.clientSecret,
    redirectUris: options.redirectUris,
  };
  const clock = makeClock(options.now ?? Date.now);
  const now = clock.now;
  const switches = makeSwitches(options.switches ?? {});
  const log = makeLog();
  const faults = makeFaults();
  const newSecret = () => randomBytes(24).toString('base64url');
  const tokens = makeTokens({ switches, log, now, newSecret });
  const sender = makeSender(options.callbackTimeoutMs ?? CALLBACK_TIMEOUT_MS);
  const random = options.random ?? Math.random;
  const deliveries = makeDeliveries({ switches, log, now, send: sender.send, random });
  const data = makeData({ seed: options.seed ?? harbourTower, now: now(), itemId: makeItemId(switches) });
  const keys: string[] = [];
  const subscriptions = makeSubscriptions({
    switches,
    newKey: () => randomBytes(32).toString('hex'),
    onChange(change, { id, user, place, comprehensive, key }) {
      if (change === 'created') keys.push(key);
      const resource = resourcePath(place, switches);
      log.add({ type: 'subscription', at: now(), change, subscriptionId: id, user, resource, comprehensive });
    },
  });
  const notify = makeNotify({ subscriptions, switches, log, now, deliveries });
  const act = makeAct({ data, switches, now, notify });
  const endpoints = makeSubscriptionEndpoints({
    data,
    subscriptions,
    switches,
    deliveries,
    act,
    send: sender.send,
  });
  const api = makeApi({ data, endpoints, limits: makeLimits({ switches, now }), switches, tokens });
  const authorize = makeAuthorize({ client, data, switches, log, tokens, now });
  const token = makeTokenEndpoint({ client, switches, tokens });
  const addresses = { baseUrl: '', authUrl: '' };
  const control = makeControl({
    act,
    addresses: () => addresses,
    data,
    deliveries,
    now,
    subscriptions,
    switches,
  });
  const route = makeRoutes({ api, authorize, token });
  const server = await startServer(
    { caller: api.caller, route, control, faults, log, now },
    options.port ?? 0,
  );
  addresses.authUrl = `http://127.0.0.1:${server.port}`;
  addresses.baseUrl = `${addresses.authUrl}${BASE_PATH}`;

  return {
    ...addresses,
    clock,
    data,
    switches,
    faults,
    log,
    subscriptions,
    deliveries,
    act,
    accessToken(user, { scope = 'full_user', app = true } = {}) {
      return tokens.newAccessToken({ user: data.user(user).email, scope, app }, 'handed out').accessToken;
    },
    revoke: (user) => revoke(data.user(user).email, { tokens, subscriptions, switches }),
    async deliverRaw(subscriptionId, body, rawOptions) {
      const subscription = subscriptions.everMade(subscriptionId);
      if (!subscription) throw new PracticeError('unknown', `There is no subscription ${subscriptionId}.`);
      return deliveries.raw(subscription, body, rawOptions);
    },
    settled: deliveries.settled,
    secrets: () => [client.secret, ...tokens.secrets(), ...keys],
    async close() {
      deliveries.close();
      await server.close();
      await sender.close();
    },
  };
}

type NotifyDeps = {
  subscriptions: Subscriptions;
  switches: SwitchBoard;
  log: PracticeLog;
  now: () => Date;
  deliveries: Deliveries;
};

/** Logs each change and notifies the subscriptions that receive it. */
function makeNotify({ subscriptions, switches, log, now, deliveries }: NotifyDeps) {
  function notifyOne(change: Change): void {
    const { by, cause, subject } = change;
    const at = now();
    const resource = resourcePath(subject.place, switches);
    const eventType = eventTypeOf(change);
    log.add({ type: 'change', at, user: by, cause, eventType, resource, name: subject.name });
    const receivers = subscriptions.all().filter((one) => receives(one, change, switches));
    deliveries.push(
      receivers.map((subscription) => ({
        subscription,
        notification: notificationOf({ subscription, change, guid: randomUUID(), at }, switches),
      })),
    );
    if (cause === 'delete' && switches.get('subscriptionOfDeleted') === 'removed') removeGone(change);
  }

  function removeGone({ subject }: Change): void {
    for (const one of subscriptions.all()) {
      if (samePlace(one.place, subject.place) || holds(subject.place, one.place)) subscriptions.remove(one);
    }
  }

  return (changes: readonly Change[]): void => {
    for (const change of changes) notifyOne(change);
  };
}

type RevokeDeps = { tokens: Tokens; subscriptions: Subscriptions; switches: SwitchBoard };

function revoke(user: string, { tokens, subscriptions, switches }: RevokeDeps): void {
  tokens.revoke(user);
  if (switches.get('revokedSubscriptions') === 'kept') return;
  for (const one of subscriptions.ofUser(user)) subscriptions.remove(one);
}

/** Returns a generator of item and document ids, in the format switched at the time of creation. */
function makeItemId(switches: SwitchBoard): () => string {
  let last = 50_210;
  return () => {
    last += 1;
    switch (switches.get('itemIds')) {
      case 'number':
        return String(last);
      case 'guid':
        return randomUUID();
      case 'opaque':
        return `it.${randomBytes(9).toString('base64url')}~${last}+=`;
    }
  };
}
