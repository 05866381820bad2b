import type { ListExclusions } from '../core/channels/list-exclusions.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import { makeShowHome } from '../core/subscribing/show-home.ts';
import type { Base } from './base.ts';

type HomeUses = { readonly names: ShownNames; readonly listExclusions: ListExclusions };

/** Composes the Home tab, before the rooms that refresh it. */
export function composeHome({ store, slack, copy, log }: Base, { names, listExclusions }: HomeUses) {
  return makeShowHome({
    links: store.links,
    subscriptions: store.tables.subscriptions,
    profileOf: slack.profileOf,
    currentProfileOf: slack.currentProfileOf,
    isAdmin: slack.isAdmin,
    channelsOf: slack.channelsOf,
    isInChannel: slack.isInChannel,
    publish: slack.screens.publishHome,
    namesIn: names.namesIn,
    listExclusions,
    lastTo: store.audit.lastTo,
    copy,
    now: () => performance.now(),
    log,
  });
}
