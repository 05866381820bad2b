import { randomBytes } from 'node:crypto';
import type { AccessRoom } from '../core/access/access-room.ts';
import type { ChannelsRoom } from '../core/channels/channels-room.ts';
import type { ListExclusions } from '../core/channels/list-exclusions.ts';
import type { ShownNames } from '../core/channels/shown-names.ts';
import { makeRecallChanges } from '../core/delivering/recall-changes.ts';
import type { LinkingRoom } from '../core/linking/linking-room.ts';
import type { Request } from '../core/model/request.ts';
import type { ShowHelp } from '../core/requests/show-help.ts';
import type { ShowHome } from '../core/subscribing/show-home.ts';
import { makeSubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import type { UpstreamRoom } from '../core/upstream/upstream-room.ts';
import { minuteMs } from '../lib/durations.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import type { Base } from './base.ts';

/** As long as Slack accepts replies to a command. */
const keptRequestMs = 30 * minuteMs;

type SubscribingUses = {
  readonly access: AccessRoom;
  readonly linking: LinkingRoom;
  readonly upstream: UpstreamRoom;
  readonly channels: ChannelsRoom;
  readonly names: ShownNames;
  readonly home: ShowHome;
  readonly listExclusions: ListExclusions;
  readonly showHelp: ShowHelp;
};

/** Composes what channels subscribe to. */
export function composeSubscribing(base: Base, uses: SubscribingUses) {
  const { env, store, transactions, slack, copy, clock } = base;
  const { access, linking, upstream, channels, names, home, listExclusions, showHelp } = uses;
  return makeSubscribingRoom({
    subscriptions: store.tables.subscriptions,
    fed: store.tables.fed,
    links: store.links,
    events: store.tables.events,
    dropEvents: store.tables.events.dropEnded,
    announce: transactions.announce,
    profileOf: slack.profileOf,
    channelsOf: slack.channelsOf,
    isInChannel: slack.isInChannel,
    recentlyMayPost: slack.recentlyMayPost,
    botNameOf: slack.botNameOf,
    openForm: slack.screens.openForm,
    pushForm: slack.screens.pushForm,
    updateForm: slack.screens.updateForm,
    recallChanges: makeRecallChanges({
      loadItems: store.tables.items.load,
      presentChanges: names.presentChanges,
    }),
    settingsOf: store.settings.of,
    lastTo: store.audit.lastTo,
    audit: access.audit,
    requireMayChange: access.requireMayChange,
    requireLink: linking.commands.requireLink,
    emailsOf: linking.emailsOf,
    upstream: upstream.upstream,
    checkSoon: upstream.reconcile.checkSoon,
    requirePostable: channels.requirePostable,
    sharedChannel: channels.sharedChannel,
    resume: channels.pauseSubscription.resume,
    replyIfClosed: channels.replyIfClosed,
    namesIn: names.namesIn,
    listExclusions,
    refreshHome: home.refresh,
    keptRequests: {
      records: makeRecords<Request>({ keyv: store.keyv, namespace: 'kept-requests', ttlMs: keptRequestMs }),
      newKey: () => randomBytes(18).toString('base64url'),
    },
    showHelp,
    publicUrl: env.http.publicUrl,
    copy,
    clock,
  });
}
