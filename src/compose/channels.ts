import { makeChannelsRoom } from '../core/channels/channels-room.ts';
import type { Base, Rooms } from './base.ts';

type ChannelsUses = Pick<Rooms, 'access' | 'upstream' | 'names' | 'home'>;

/** Composes whether and how the bot posts in a channel. */
export function composeChannels(base: Base, { access, upstream, names, home }: ChannelsUses) {
  const { store, transactions, slack, copy, clock, log } = base;
  return makeChannelsRoom({
    ...store,
    ...store.tables,
    ...transactions,
    ...slack,
    ...names,
    upstream: upstream.upstream,
    noteAccess: upstream.departures.accessGranted,
    placeOf: access.placeOf,
    audit: access.audit,
    requireMayChange: access.requireMayChange,
    refreshHome: home.refresh,
    copy,
    clock,
    log,
  });
}
