import type { Logger } from 'pino';
import type { AccessRoom } from '../core/access/access-room.ts';
import { makePlaceOf } from '../core/access/personal.ts';
import type { AdministeringRoom } from '../core/administering/administering-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ExplainingRoom } from '../core/explaining/explaining-room.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Clock } from '../core/model/clock.ts';
import { makeRequestsRoom } from '../core/requests/requests-room.ts';
import type { ShowHelp } from '../core/requests/show-help.ts';
import type { SubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

type RequestsDeps = {
  readonly store: Pick<StoreRoom, 'tables' | 'requests' | 'commandTries'>;
  readonly slack: Pick<SlackRoom, 'profileOf' | 'adminsOf' | 'isShared' | 'directMessage' | 'contextFrom'>;
  readonly access: AccessRoom;
  readonly linking: Pick<LinkingRoom, 'commands' | 'bareVerbs'>;
  readonly channels: Pick<ChannelsRoom, 'mute' | 'bareVerbs'>;
  readonly subscribing: SubscribingRoom;
  readonly explaining: Pick<ExplainingRoom, 'bareVerbs'>;
  readonly administering: Pick<AdministeringRoom, 'bareVerbs' | 'importForm' | 'offerImports'>;
  readonly showHelp: ShowHelp;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** The way of everything that a person asks for. */
export function composeRequests(deps: RequestsDeps) {
  const { store, slack, access, linking, channels, subscribing, explaining, administering } = deps;
  const { showHelp, copy, clock, log } = deps;
  return makeRequestsRoom({
    subscriptions: store.tables.subscriptions,
    requests: store.requests,
    commandTries: store.commandTries,
    profileOf: slack.profileOf,
    adminsOf: slack.adminsOf,
    isShared: slack.isShared,
    directMessage: slack.directMessage,
    askedBy: (person, channelId) =>
      slack.contextFrom({ person, channelId, elsewhere: true, responseUrl: null }),
    audit: access.audit,
    placeOf: makePlaceOf({
      directMessages: store.tables.directMessages,
      directMessage: slack.directMessage,
    }),
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
