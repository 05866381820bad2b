import { randomBytes } from 'node:crypto';
import { makeRecallChanges } from '../core/delivering/recall-changes.ts';
import type { Request } from '../core/model/request.ts';
import { makeSubscribingRoom } from '../core/subscribing/subscribing-room.ts';
import { minuteMs } from '../lib/durations.ts';
import { isKeyMissing } from '../store/sealing/sealing.ts';
import { makeRecords } from '../store/tables/keyv-records.ts';
import type { Base, Rooms } from './base.ts';

/** As long as Slack accepts replies to a command. */
const keptRequestMs = 30 * minuteMs;

type SubscribingUses = Pick<
  Rooms,
  'access' | 'linking' | 'upstream' | 'channels' | 'names' | 'home' | 'listExclusions' | 'showHelp'
>;

/** Composes what channels subscribe to. */
export function composeSubscribing(base: Base, uses: SubscribingUses) {
  const { env, store, transactions, slack, clock } = base;
  const { access, linking, upstream, channels, names, home, listExclusions, showHelp } = uses;
  return makeSubscribingRoom({
    ...store,
    ...store.tables,
    ...transactions,
    ...slack,
    ...slack.screens,
    ...access,
    ...channels,
    recallChanges: makeRecallChanges({ loadItems: store.tables.items.load, ...names }),
    audited: store.audit,
    requireLink: linking.commands.requireLink,
    emailsOf: linking.emailsOf,
    upstream: upstream.upstream,
    checkSoon: upstream.reconcile.checkSoon,
    resume: channels.pauseSubscription.resume,
    namesIn: names.namesIn,
    listExclusions,
    isKeyMissing,
    refreshHome: home.refresh,
    keptRequests: {
      records: makeRecords<Request>({ keyv: store.keyv, namespace: 'kept-requests', ttlMs: keptRequestMs }),
      newKey: () => randomBytes(18).toString('base64url'),
    },
    showHelp,
    publicUrl: env.http.publicUrl,
    clock,
  });
}
