import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { AccessRoom } from '../core/access/access-room.ts';
import { makePlaceOf } from '../core/access/personal.ts';
import { makeAdministeringRoom } from '../core/administering/administering-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import type { SubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import { parseWords } from '../slack/grammar/parse-fields.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

type AdministeringDeps = {
  readonly store: Pick<
    StoreRoom,
    'tables' | 'imports' | 'settings' | 'audit' | 'workspaceSubscriptions' | 'removeData'
  >;
  readonly slack: Pick<
    SlackRoom,
    | 'profileOf'
    | 'isAdmin'
    | 'channelsOf'
    | 'publicChannelsOf'
    | 'isInChannel'
    | 'isShared'
    | 'recentlyMayPost'
    | 'directMessage'
    | 'screens'
  >;
  readonly access: Pick<AccessRoom, 'audit' | 'requireAdmin' | 'requireMayChange'>;
  readonly linking: Pick<LinkingRoom, 'commands' | 'unlink' | 'emailsOf'>;
  readonly channels: Pick<ChannelsRoom, 'pauseSubscription'>;
  readonly subscribing: Pick<SubscribingRoom, 'subscribe' | 'unsubscribe'>;
  readonly names: Pick<ShownNames, 'namesIn'>;
  readonly home: ShowHome;
  readonly clock: Clock;
  readonly log: Logger;
};

/** What admins and operators do to all of a workspace. */
export function composeAdministering(deps: AdministeringDeps) {
  const { store, slack, access, linking, channels, subscribing, names, home, clock, log } = deps;
  const { directMessages, subscriptions } = store.tables;
  return makeAdministeringRoom({
    subscriptions,
    directMessages,
    workspaceSubscriptions: store.workspaceSubscriptions,
    imports: store.imports,
    settings: store.settings,
    removeData: store.removeData,
    audited: store.audit,
    lastTo: store.audit.lastTo,
    profileOf: slack.profileOf,
    isAdmin: slack.isAdmin,
    channelsOf: slack.channelsOf,
    publicChannelsOf: slack.publicChannelsOf,
    isInChannel: slack.isInChannel,
    isShared: slack.isShared,
    recentlyMayPost: slack.recentlyMayPost,
    directMessage: slack.directMessage,
    openForm: slack.screens.openForm,
    updateForm: slack.screens.updateForm,
    publish: slack.screens.publishHome,
    audit: access.audit,
    requireAdmin: access.requireAdmin,
    requireMayChange: access.requireMayChange,
    requireLink: linking.commands.requireLink,
    unlink: linking.unlink,
    emailsOf: linking.emailsOf,
    pauseSubscription: channels.pauseSubscription,
    subscribe: subscribing.subscribe,
    unsubscribe: subscribing.unsubscribe,
    placeOf: makePlaceOf({ directMessages, directMessage: slack.directMessage }),
    namesIn: names.namesIn,
    home,
    refreshHome: home.refresh,
    readWords: parseWords,
    hash: (text) => createHash('sha256').update(text).digest('base64url'),
    clock,
    log,
  });
}
