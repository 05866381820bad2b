import type { AccessRoom } from '../core/access/access-room.ts';
import { makePlaceOf } from '../core/access/personal.ts';
import type { AdministeringRoom } from '../core/administering/administering-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import { makeRequestsRoom } from '../core/requests/requests-room.ts';
import type { ShowHelp } from '../core/requests/show-help.ts';
import type { SubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import type { Base } from './base.ts';

type RequestsUses = {
  readonly access: AccessRoom;
  readonly linking: LinkingRoom;
  readonly channels: ChannelsRoom;
  readonly subscribing: SubscribingRoom;
  readonly explaining: ExplainingRoom;
  readonly administering: AdministeringRoom;
  readonly showHelp: ShowHelp;
};

/** Composes the path of every request. */
export function composeRequests({ store, slack, copy, clock, log }: Base, uses: RequestsUses) {
  const { access, linking, channels, subscribing, explaining, administering, showHelp } = uses;
  const { directMessages } = store.tables;
  const placeOf = makePlaceOf({ directMessages, directMessage: slack.directMessage });
  return makeRequestsRoom({
    subscriptions: store.tables.subscriptions,
    requests: store.requests,
    commandTries: store.commandTries,
    profileOf: slack.profileOf,
    currentProfileOf: slack.currentProfileOf,
    adminsOf: slack.adminsOf,
    isShared: slack.isShared,
    directMessage: slack.directMessage,
    askedBy: (person, channelId) =>
      slack.contextFrom({ person, channelId, elsewhere: true, responseUrl: null }),
    audit: access.audit,
    atHome: access.atHome,
    placeOf: async (context, request) => access.atHome(await placeOf(context, request)),
    requireMayChange: access.requireMayChange,
    requireMaySee: access.requireMaySee,
    requireAdmin: access.requireAdmin,
    links: linking.commands,
    mute: channels.mute,
    subscribe: subscribing.subscribe,
    unsubscribe: subscribing.unsubscribe,
    showList: subscribing.showList,
    showForm: subscribing.showForm,
    importForm: administering.importForm,
    offerImports: administering.offerImports,
    bareVerbs: {
      ...access.bareVerbs,
      ...linking.bareVerbs,
      ...channels.bareVerbs,
      ...explaining.bareVerbs,
      ...administering.bareVerbs,
    },
    showHelp,
    copy,
    clock,
    log,
  });
}
