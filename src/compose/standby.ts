import { securityHeaders, withHeaders } from '../http/security-headers.ts';
import { readSlackBodies } from '../http/slack-body.ts';
import { standbyPage } from '../http/standby.ts';
import { makeBoltLogger } from '../slack/bolt-logger.ts';
import { answer } from '../slack/replies/answer.ts';
import { composeMetrics, composeStore } from './base.ts';
import type { Foundation, RunningBot } from './compose.ts';
import { composeCallbackTokens, composeReceiving } from './receiving.ts';

/** Composes a bot on standby, which only stores notifications and answers people: nothing calls the service, renews tokens or posts. */
export async function composeStandby(foundation: Foundation): Promise<RunningBot> {
  const { env, connection, clock, log } = foundation;
  const headers = securityHeaders({ publicUrl: env.http.publicUrl, authUrl: env.service.authUrl });
  const store = composeStore(foundation);
  const metrics = await composeMetrics(foundation);
  const uses = { connection, wake: nothing, tokens: await composeCallbackTokens(store), headers };
  const receiving = composeReceiving({ ...foundation, store, metrics }, uses);
  const { openStandbyAdapter } = await import('../slack/standby.ts');
  const slack = openStandbyAdapter({
    signingSecret: env.slack.signingSecret,
    logger: makeBoltLogger(log),
    answer: (...given) => answer({ responseOrigins: env.slack.allowedResponseOrigins }, ...given),
    now: () => clock.now(),
    log,
  });
  const routes = [withHeaders(headers), receiving.routes, readSlackBodies(), slack, standbyPage(env.http)];
  return {
    entrance: env.role === 'worker' ? noEntrance : { first: receiving.takeNotifications, routes },
    isReady: async () => false,
    metrics: () => metrics,
    runChore: nothing,
    startRest: nothing,
    stop: async () => void (await receiving.close()),
  };
}

const noEntrance: RunningBot['entrance'] = { first: null, routes: [] };
async function nothing(): Promise<void> {}
