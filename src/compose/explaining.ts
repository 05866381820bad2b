import type { AccessRoom } from '../core/access/access-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import { makeExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Base } from './base.ts';

type ExplainingUses = {
  readonly access: AccessRoom;
  readonly upstream: UpstreamRoom;
  readonly channels: ChannelsRoom;
  readonly names: ShownNames;
};

/** Composes the answers to why something was or was not posted, and whether all is well. */
export function composeExplaining(base: Base, { access, upstream, channels, names }: ExplainingUses) {
  const { env, store, transactions, slack, service, copy, clock } = base;
  return makeExplainingRoom({
    subscriptions: store.tables.subscriptions,
    lanes: store.tables.lanes,
    links: store.links,
    traces: store.traces,
    audited: store.audit,
    audit: access.audit,
    inTransaction: transactions.inTransaction,
    profileOf: slack.profileOf,
    mayPost: slack.mayPost,
    botNameOf: slack.botNameOf,
    service: service.service,
    callService: upstream.callService,
    checkLink: upstream.reconcile.reconcileLink,
    resumeChannel: channels.resumeChannel,
    namesIn: names.namesIn,
    presentChanges: names.presentChanges,
    retentionDays: env.retentionDays,
    publicUrl: env.http.publicUrl,
    copy,
    clock,
  });
}
