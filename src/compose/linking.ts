import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { makeLinkingRoom } from '../core/linking/linking-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { Copy } from '../messages/text/copy.ts';
import { logLink } from './log-events.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

type ComposeLinkingDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'tables' | 'links' | 'attempts'>;
  readonly slack: Pick<
    SlackRoom,
    'profileOf' | 'workspaceNameOf' | 'directMessage' | 'pressedOffers' | 'answer'
  >;
  readonly service: Pick<ServiceRoom, 'oauth'>;
  readonly metrics: Metrics;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Links of Slack users to their accounts at the service. */
export function composeLinking({
  env,
  store,
  slack,
  service,
  metrics,
  copy,
  clock,
  log,
}: ComposeLinkingDeps) {
  return makeLinkingRoom({
    links: store.links,
    attempts: store.attempts,
    subscriptions: store.tables.subscriptions,
    oauth: service.oauth,
    profileOf: slack.profileOf,
    workspaceNameOf: slack.workspaceNameOf,
    directMessage: slack.directMessage,
    pressedOffers: slack.pressedOffers,
    answer: slack.answer,
    copy,
    publicUrl: env.http.publicUrl,
    clock,
    randomBytes,
    sleep,
    signalAfter: (milliseconds) => AbortSignal.timeout(milliseconds),
    noteFailure: (what, error) => log.warn({ err: error }, `could not ${what}`),
    countRefresh: metrics.refresh,
    noted: (what, link) => logLink(log, what, link),
  });
}
