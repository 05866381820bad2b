import type { AccessRoom } from '../core/access/access-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import { makeExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Env } from '../env.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';
import type { Transactions } from './transactions.ts';

type ExplainingDeps = {
  readonly env: Env;
  readonly store: Pick<StoreRoom, 'tables' | 'links' | 'traces' | 'audit'>;
  readonly transactions: Transactions;
  readonly slack: Pick<SlackRoom, 'profileOf' | 'mayPost' | 'botNameOf'>;
  readonly service: Pick<ServiceRoom, 'service'>;
  readonly access: Pick<AccessRoom, 'audit'>;
  readonly upstream: Pick<UpstreamRoom, 'callService' | 'reconcile'>;
  readonly channels: Pick<ChannelsRoom, 'resumeChannel'>;
  readonly names: Pick<ShownNames, 'namesIn' | 'presentChanges'>;
  readonly copy: Copy;
  readonly clock: Clock;
};

/** Why, and whether all is well. */
export function composeExplaining(deps: ExplainingDeps) {
  const { env, store, transactions, slack, access, upstream, channels, names, copy, clock } = deps;
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
    service: deps.service.service,
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
