import type { AccessRoom } from '../core/access/access-room.ts';
import { makeChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import type { Base } from './base.ts';

type ChannelsUses = {
  readonly access: AccessRoom;
  readonly upstream: UpstreamRoom;
  readonly names: ShownNames;
  readonly home: ShowHome;
};

/** Composes whether and how the bot posts in a channel. */
export function composeChannels(base: Base, { access, upstream, names, home }: ChannelsUses) {
  const { store, transactions, slack, copy, clock, log } = base;
  return makeChannelsRoom({
    channels: store.tables.channels,
    channelMoves: store.channelMoves,
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
