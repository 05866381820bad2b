import { z } from 'zod';
import type { Bot } from '../../../src/core/bot.ts';
import { accessTokenFor } from '../../../src/core/linking/access-tokens.ts';
import { makeServiceOAuth } from '../../../src/service/oauth.ts';
import { type BotSettings, startCore } from '../../support/bot.ts';

/** A process of the bot that returns access tokens. It receives orders from its parent and sends back the results, both by IPC. */
const orders = z.discriminatedUnion('order', [
  z.object({
    order: z.literal('start'),
    settings: z.custom<BotSettings>((value) => typeof value === 'object'),
    timeoutMs: z.number().optional(),
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

let at = Date.now();
let hangs = false;
let bot: Bot;
let stop = async (): Promise<void> => undefined;

async function start({ settings, timeoutMs }: Order<'start'>): Promise<void> {
  const now = () => new Date(at);
  const core = await startCore({ ...settings, now });
  const oauth = timeoutMs === undefined ? core.oauth : impatient(settings, timeoutMs, now);
  const refresh = async (refreshToken: string) => {
    notify({ event: 'locked' });
    if (hangs) await new Promise(() => undefined);
    return oauth.refresh(refreshToken);
  };
  bot = { ...core.bot, service: { ...core.bot.service, oauth: { ...oauth, refresh } } };
  stop = core.stop;
  notify({ event: 'ready' });
}

/** The service's OAuth, with less time to answer than in a running bot. Only for refreshes, which name no redirect URI. */
function impatient(settings: BotSettings, timeoutMs: number, now: () => Date) {
  return makeServiceOAuth({
    authUrl: settings.serviceAuthUrl,
    baseUrl: settings.serviceBaseUrl,
    clientId: settings.serviceClientId,
    clientSecret: settings.serviceClientSecret,
    scopes: ['full_user'],
    redirectUri: '',
    timeoutMs,
    now,
  });
}

async function ask(order: Order<'ask'>): Promise<void> {
  at = order.at;
  hangs = order.hangs;
  const answers = await Promise.all(
    Array.from({ length: order.callers }, async () => {
      try {
        const answer = await accessTokenFor(bot, order.linkId);
        return answer.outcome === 'token' ? answer.accessToken : 'relink';
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
  void (order.order === 'start' ? start(order) : ask(order));
});
process.on('disconnect', () => void stop());
