import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeLinkingRoom } from '../core/linking/linking-room.ts';
import type { Base } from './base.ts';
import { logLink } from './log-events.ts';

/** Composes links between Slack users and their accounts at the service. */
export function composeLinking({ env, store, slack, service, metrics, copy, clock, log }: Base) {
  return makeLinkingRoom({
    ...store,
    ...store.tables,
    ...slack,
    oauth: service.oauth,
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
