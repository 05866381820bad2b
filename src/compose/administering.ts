import { createHash } from 'node:crypto';
import type { AccessRoom } from '../core/access/access-room.ts';
import { makePlaceOf } from '../core/access/personal.ts';
import { makeAdministeringRoom } from '../core/administering/administering-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import type { SubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import { parseWords } from '../slack/grammar/parse-fields.ts';
import type { Base } from './base.ts';

type AdministeringUses = {
  readonly access: AccessRoom;
  readonly linking: LinkingRoom;
  readonly channels: ChannelsRoom;
  readonly subscribing: SubscribingRoom;
  readonly names: ShownNames;
  readonly home: ShowHome;
};

/** Composes what admins and operators do to a whole workspace. */
export function composeAdministering({ store, slack, clock, log }: Base, uses: AdministeringUses) {
  const { access, linking, channels, subscribing, names, home } = uses;
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
