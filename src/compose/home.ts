import type { Logger } from 'pino';
import type { ListExclusions } from '../core/channels/list-exclusions.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import { makeShowHome } from '../core/subscribing/show-home.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

type HomeDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'links' | 'audit'>;
  readonly slack: Pick<SlackRoom, 'profileOf' | 'isAdmin' | 'channelsOf' | 'isInChannel' | 'screens'>;
  readonly names: Pick<ShownNames, 'namesIn'>;
  readonly listExclusions: ListExclusions;
  readonly copy: Copy;
  readonly log: Logger;
};

/** The Home tab. It comes before the rooms that refresh it. */
export function composeHome({ store, slack, names, listExclusions, copy, log }: HomeDeps) {
  return makeShowHome({
    links: store.links,
    subscriptions: store.tables.subscriptions,
    profileOf: slack.profileOf,
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
