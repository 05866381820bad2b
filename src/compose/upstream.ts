import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { CallbackTokens } from '../core/receiving/callback-token.ts';
import { makeUpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Env } from '../env.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';
import type { Transactions } from './transactions.ts';

type ComposeUpstreamDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'tables' | 'links' | 'departures' | 'departedRows'>;
  readonly transactions: Transactions;
  readonly slack: Pick<
    SlackRoom,
    'profileOf' | 'directMessage' | 'isInstalled' | 'standing' | 'access' | 'installations'
  >;
  readonly service: Pick<ServiceRoom, 'service'>;
  readonly linking: Pick<LinkingRoom, 'accessTokenFor'>;
  readonly names: Pick<ShownNames, 'namesIn'>;
  readonly tokens: CallbackTokens;
  readonly sealing: Sealing;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The service's side of subscriptions. */
export function composeUpstream(deps: ComposeUpstreamDeps) {
  const { env, store, transactions, slack, names, tokens, sealing, copy, clock, log } = deps;
  return makeUpstreamRoom({
    service: deps.service.service,
    accessTokenFor: deps.linking.accessTokenFor,
    subscriptions: store.tables.subscriptions,
    events: store.tables.events,
    links: store.links,
    departures: store.departures,
    departedRows: store.departedRows,
    inTransaction: transactions.inTransaction,
    announce: transactions.announce,
    enqueue: transactions.enqueue,
    profileOf: slack.profileOf,
    namesIn: names.namesIn,
    directMessage: slack.directMessage,
    isInstalled: slack.isInstalled,
    standing: slack.standing,
    access: slack.access,
    forgetInstallation: slack.installations.forgetOld,
    tokens,
    sealing,
    copy,
    publicUrl: env.http.publicUrl,
    clock,
    sleep,
    log,
  });
}
