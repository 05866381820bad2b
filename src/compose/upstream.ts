import { setTimeout as sleep } from 'node:timers/promises';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { CallbackTokens } from '../core/receiving/callback-token.ts';
import { makeUpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Base } from './base.ts';

type UpstreamUses = {
  readonly linking: LinkingRoom;
  readonly names: ShownNames;
  readonly tokens: CallbackTokens;
};

/** Composes the service's side of subscriptions. */
export function composeUpstream(base: Base, { linking, names, tokens }: UpstreamUses) {
  const { env, store, transactions, slack, service, sealing, copy, clock, log } = base;
  return makeUpstreamRoom({
    service: service.service,
    accessTokenFor: linking.accessTokenFor,
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
