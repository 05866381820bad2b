import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeAccessTokenFor } from '../../../src/core/linking/access-tokens.ts';
import { defaultNames } from '../../../src/core/model/commands.ts';
import { makeServiceOAuth } from '../../../src/service/oauth.ts';
import { connect } from '../../../src/store/database.ts';
import { makeSealing } from '../../../src/store/sealing/sealing.ts';

/**
 * A process that returns access tokens, standing in for one of several bot processes. It receives orders from its parent and sends back the
 * results, both by IPC.
 */
const orders = z.discriminatedUnion('order', [
  z.object({
    order: z.literal('start'),
    databaseUrl: z.string(),
    key: z.string(),
    authUrl: z.string(),
    clientId: z.string(),
    clientSecret: z.string(),
    redirectUri: z.string(),
    timeoutMs: z.number(),
  }),
  z.object({
    order: z.literal('ask'),
    linkId: z.string(),
    callers: z.number(),
    /** The time, in milliseconds since the epoch. */
    at: z.number(),
    /** Hold the row's lock and send nothing to the service. */
    hangs: z.boolean(),
  }),
]);
type Order<Name> = Extract<z.infer<typeof orders>, { order: Name }>;

let at = 0;
let hangs = false;
let accessTokenFor: ReturnType<typeof makeAccessTokenFor> | undefined;
let close = async (): Promise<void> => undefined;

function start(order: Order<'start'>): void {
  const nothing = (): void => undefined;
  const database = connect({
    connection: { connectionString: order.databaseUrl },
    log: { info: nothing, warn: nothing, error: nothing },
  });
  const now = () => new Date(at);
  const oauth = makeServiceOAuth({ ...order, scopes: ['full_user'], now });
  const sealing = makeSealing([{ id: 'k1', secret: Buffer.from(order.key, 'base64') }]);
  close = database.close;
  const bot = {
    db: database.db,
    sealing,
    clock: { now },
    config: { copy: { serviceName: 'Practice', commands: defaultNames } },
    service: {
      oauth: {
        refresh: async (refreshToken: string) => {
          notify({ event: 'locked' });
          if (hangs) await new Promise(() => undefined);
          return oauth.refresh(refreshToken);
        },
      },
    },
    slack: { directMessage: async () => notify({ event: 'asked' }) },
    log: { warn: (_fields: object, what: string) => notify({ event: 'failure', what }) },
    metrics: { refresh: nothing },
    sleep,
  };
  accessTokenFor = makeAccessTokenFor(bot as unknown as Parameters<typeof makeAccessTokenFor>[0]);
}

async function ask(order: Order<'ask'>): Promise<void> {
  at = order.at;
  hangs = order.hangs;
  const answers = await Promise.all(
    Array.from({ length: order.callers }, async () => {
      try {
        const answer = await accessTokenFor?.(order.linkId);
        return answer?.outcome === 'token' ? answer.accessToken : 'relink';
      } catch (error) {
        return `failed: ${error instanceof Error ? error.message : ''}`;
      }
    }),
  );
  notify({ event: 'answers', answers });
}

function notify(event: Record<string, unknown>): void {
  process.send?.(event);
}

process.on('message', (message) => {
  const order = orders.parse(message);
  if (order.order === 'start') {
    start(order);
    notify({ event: 'ready' });
  } else {
    void ask(order);
  }
});
process.on('disconnect', () => void close());
