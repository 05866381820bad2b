import type { KnownBlock } from '@slack/types';
import type { Subscribed } from '../../core/model/subscribed-of.ts';
import type { SubscriptionState, Target } from '../../core/model/subscription.ts';
import {
  describeDelivery,
  describeFilters,
  describePause,
  describeScope,
  type Pause,
  parentOf,
  type SubscriptionSettings,
  type Who,
  whoIs,
} from '../text/copy.ts';
import { mrkdwn } from '../text/message.ts';
import {
  capital,
  channel,
  inMrkdwn,
  inText,
  joined,
  type Phrase,
  quoted,
  strong,
  time,
} from '../text/phrase.ts';

/** One subscription as a list shows it. */
export type ListedSubscription = {
  /** Sent back by its buttons. */
  readonly id: string;
  readonly subscribed: Subscribed;
  /** Who made it, or took it over. */
  readonly owner: Who;
  readonly settings: SubscriptionSettings;
  readonly state: SubscriptionState;
  /** While it is paused. */
  readonly pause?: Pause | undefined;
  /** The service's own word for its state, where that is not the usual one. */
  readonly serviceStatus?: string | undefined;
  /** Of a folder: the service does not say which folder changes are in, so none can be posted. */
  readonly lacksPlaces?: boolean | undefined;
  readonly lastEventAt: Date | null;
  /** Of an item that a person follows: the channel whose subscription it comes from. */
  readonly followedFrom?: string | undefined;
};

/** How many characters a row may have: its head, and what stands below. */
export type RowRoom = { readonly head: number; readonly details: number };

/** "*Harbour Tower* · project and its contents": the name leads, and the id stands in only where no name is known. */
export function nameInList(subscribed: Subscribed): Phrase {
  const { target, name, comprehensive } = subscribed;
  const title = strong(name === null || name.trim() === '' ? idOf(target) : name);
  switch (target.kind) {
    case 'project':
    case 'session':
      return [title, ` · ${target.kind} ${describeScope(target.kind, comprehensive)}`];
    case 'folder':
      return [title, ` · folder ${describeScope('folder', comprehensive)}, in `, ...parentOf(subscribed)];
    case 'file':
      return [title, ' · file in ', ...parentOf(subscribed)];
    case 'document':
      return [title, ' · document in ', ...parentOf(subscribed)];
  }
}

function idOf(target: Target): string {
  if ('itemId' in target) return target.itemId;
  if ('documentId' in target) return target.documentId;
  return 'projectId' in target ? target.projectId : target.sessionId;
}

/** What a row says: its name and health in one paragraph, and below in gray what is posted and who added it. */
export function rowHead(row: ListedSubscription, room: RowRoom): string {
  return `${inMrkdwn(nameInList(row.subscribed), room.head)}\n${inMrkdwn(healthOf(row), room.head)}`;
}

/** The gray line. Filters come last: where not all fits, the end goes. */
export function rowContext(row: ListedSubscription, max: number): KnownBlock {
  const details = inMrkdwn(joined([addedBy(row), capital(postedOf(row))], ' · '), max);
  return { type: 'context', elements: [mrkdwn(details)] };
}

/** The whole row on one line, for notifications and screen readers. */
export function rowText(row: ListedSubscription, room: RowRoom): string {
  const parts = [nameInList(row.subscribed), healthOf(row), addedBy(row), postedOf(row)];
  return inText([...joined(parts, ', '), '.'], room.head + room.details);
}

function healthOf(row: ListedSubscription): Phrase {
  const { lastEventAt } = row;
  const last: Phrase = lastEventAt === null ? ['no activity yet'] : ['last activity ', time(lastEventAt)];
  return joined([stateOf(row), last], ' · ');
}

/** Each sign stands before words that say the same. */
function stateOf({ state, pause, serviceStatus, lacksPlaces = false }: ListedSubscription): Phrase {
  switch (state) {
    case 'pending':
      return ['🔵 Setting up'];
    case 'active':
      if (lacksPlaces)
        return ['🟠 Nothing can be posted: the service doesn’t say which folder changes are in'];
      return serviceStatus === undefined
        ? ['🟢 Working']
        : ['🟠 The service reports ', quoted(serviceStatus)];
    case 'paused':
      return pause === undefined ? ['🟡 Paused'] : ['🟡 ', ...capital(describePause(pause))];
    case 'ended':
      return ['⚪ Ended'];
  }
}

function addedBy({ owner, followedFrom }: ListedSubscription): Phrase {
  return followedFrom === undefined
    ? ['Added by ', ...whoIs(owner)]
    : ['Followed from ', channel(followedFrom)];
}

function postedOf({ settings: { delivery, threads, filters, names } }: ListedSubscription): Phrase {
  return [
    ...describeDelivery(delivery),
    threads ? ', in threads: ' : ': ',
    ...describeFilters(filters, names),
  ];
}
