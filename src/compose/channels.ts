import type { Logger } from 'pino';
import type { AccessRoom } from '../core/access/access-room.ts';
import { makeChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { Clock } from '../core/model/clock.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';
import type { Transactions } from './transactions.ts';

type ChannelsDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'channelMoves'>;
  readonly transactions: Transactions;
  readonly slack: Pick<
    SlackRoom,
    'profileOf' | 'directMessage' | 'edit' | 'isInChannel' | 'mayPost' | 'isShared' | 'isServed' | 'botNameOf'
  >;
  readonly access: Pick<AccessRoom, 'audit'>;
  readonly upstream: Pick<UpstreamRoom, 'upstream' | 'departures'>;
  readonly names: Pick<ShownNames, 'actorNameIn' | 'isDiscreet'>;
  readonly home: Pick<ShowHome, 'refresh'>;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Whether and how the bot posts in a channel. */
export function composeChannels(deps: ChannelsDeps) {
  const { store, transactions, slack, access, upstream, names, home, copy, clock, log } = deps;
  return makeChannelsRoom({
    channels: store.tables.channels,
    channelMoves: store.channelMoves,
    events: store.tables.events,
    exclusions: store.tables.exclusions,
    fed: store.tables.fed,
    directMessages: store.tables.directMessages,
    isInChannel: slack.isInChannel,
    undoOffers: store.tables.undoOffers,
    paces: store.tables.paces,
    actorNameIn: names.actorNameIn,
    isDiscreet: names.isDiscreet,
    edit: slack.edit,
    lanes: store.tables.lanes,
    subscriptions: store.tables.subscriptions,
    inTransaction: transactions.inTransaction,
    announce: transactions.announce,
    enqueue: transactions.enqueue,
    profileOf: slack.profileOf,
    directMessage: slack.directMessage,
    mayPost: slack.mayPost,
    isShared: slack.isShared,
    isServed: slack.isServed,
    botNameOf: slack.botNameOf,
    upstream: upstream.upstream,
    noteAccess: upstream.departures.accessGranted,
    audit: access.audit,
    refreshHome: home.refresh,
    copy,
    clock,
    log,
  });
}
