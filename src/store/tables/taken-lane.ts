import type { PostedAs } from '../../core/model/change.ts';
import { type Excluded, type ExclusionSubject, excludedOf } from '../../core/model/filters.ts';
import type { PreviousState } from '../../core/model/items.ts';
import { type LaneCard, mostEvents } from '../../core/model/lane-card.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { HeldReason } from '../../core/model/summary-lead.ts';
import type { WaitingAnnouncement } from './announcements.ts';
import type { WaitingEvent } from './events.ts';
import type { KnownItem } from './items.ts';
import type { LaneState } from './lanes.ts';
import { type LaneSubscription, laneSubscriptionOf, type SubscriptionInLane } from './subscription-row.ts';

/** A lane that was taken for one turn, with everything the turn needs. */
export type TakenLane<Message> = Omit<
  LaneState,
  'notBefore' | 'lastPostAt' | 'movedAt' | 'muteAskedUntil'
> & {
  readonly lane: Channel;
  /** Increases each time the lane is taken; a mark made with an older number is refused. */
  readonly fence: string;
  /** When it was taken, and until when the claim is valid. */
  readonly at: Date;
  readonly until: Date;
  /** The last message, while it may still be edited. */
  readonly card: LaneCard | null;
  /** Until when the lanes of the workspace share a pace. */
  readonly throttledUntil: Date | null;
  /** Whether another organization can read the channel, so that addresses and full paths are not shown. */
  readonly discreet: boolean;
  /** Whether sentences begin with the sign of their verb, as the workspace's admins chose. */
  readonly showsSigns: boolean;
  /** Whether the channel has more than one subscription. */
  readonly hasSeveral: boolean;
  /** Whether one change can reach this channel twice. */
  readonly hasDuplicates: boolean;
  /** What is muted and hidden in the channel. */
  readonly excluded: Excluded;
  /** The oldest pending events, in the order of acceptance. */
  readonly waiting: readonly WaitingEvent[];
  /** How long they are as JSON. */
  readonly bytes: number;
  /** Whether more events are pending than were loaded. */
  readonly waitsMore: boolean;
  /** Whether as many events were asked for as one message may show. */
  readonly isWhole: boolean;
  /** `seq`s of pending events whose subscription is no longer stored. */
  readonly orphans: readonly string[];
  /** The last known states of their items, by key; null if they have to be looked up. */
  readonly items: ReadonlyMap<string, KnownItem> | null;
  readonly announcement: WaitingAnnouncement<Message> | null;
};

type EventInLane = [
  seq: string,
  subscriptionId: string,
  notification: Notification,
  fingerprint: string | null,
  receivedAt: number,
  summary: HeldReason | null,
  replayed: boolean,
  postedAs: PostedAs | null,
  editAt: number | null,
];

/** A lane that was asked for, as the statement returns it. `fence`: null if it was not taken. */
export type TakenRow<Message> = Channel &
  Omit<TakenLane<Message>, 'lane' | 'fence' | 'at' | 'until' | 'isWhole' | DecodedColumn> & {
    readonly fence: string | null;
    readonly events: readonly EventInLane[] | null;
    readonly keyed: boolean | null;
    readonly items: readonly ItemInLane[] | null;
    readonly subscriptions: readonly SubscriptionInLane[] | null;
    readonly announcement: (Omit<WaitingAnnouncement<Message>, 'createdAt'> & { createdAt: number }) | null;
    readonly excluded: readonly Pick<ExclusionSubject, 'kind' | 'key'>[] | null;
    readonly restsUntil: Date | null;
  };

type DecodedColumn = 'waiting' | 'orphans' | 'announcement' | 'excluded' | 'items';

type ItemInLane = readonly [
  key: string,
  name: string | null,
  path: string | null,
  threadTs: string | null,
  idPath: string | null,
  ownerUserId: string | null,
  messageTs: string | null,
  previous: PreviousState | null,
];

/** Picks the fields that identify a channel from a row. */
export function laneOf({ enterpriseId, teamId, channelId }: Channel): Channel {
  return { enterpriseId, teamId, channelId };
}

/** Reads a taken lane from its row. `eventsEach`: the maximum number of events in a row. */
export function takenOf<Message>(
  row: TakenRow<Message>,
  { at, until, eventsEach }: { readonly at: Date; readonly until: Date; readonly eventsEach: number },
): TakenLane<Message> {
  const events = row.events ?? [];
  const subscriptions = new Map(
    (row.subscriptions ?? []).map(laneSubscriptionOf).map((subscription) => [subscription.id, subscription]),
  );
  const { announcement } = row;
  return {
    ...row,
    lane: laneOf(row),
    fence: row.fence ?? '',
    at,
    until,
    excluded: excludedOf(row.excluded ?? []),
    waiting: events.flatMap((event) => waitingOf(event, subscriptions)),
    isWhole: eventsEach >= mostEvents,
    orphans: events.flatMap(([seq, id]) => (subscriptions.has(id) ? [] : [seq])),
    items:
      row.keyed === false
        ? null
        : new Map(
            (row.items ?? []).map(([key, name, path, threadTs, idPath, ownerUserId, messageTs, previous]) => [
              key,
              { name, path, threadTs, idPath, ownerUserId, messageTs, previous },
            ]),
          ),
    announcement: announcement && { ...announcement, createdAt: new Date(announcement.createdAt) },
  };
}

function waitingOf(event: EventInLane, subscriptions: ReadonlyMap<string, LaneSubscription>): WaitingEvent[] {
  const [seq, id, notification, fingerprint, receivedAt, summary, replayed, postedAs, editAt] = event;
  const subscription = subscriptions.get(id);
  if (!subscription) return [];
  return [
    {
      seq,
      notification,
      fingerprint: fingerprint ?? '',
      summary,
      replayed,
      postedAs,
      receivedAt: new Date(receivedAt),
      editAt: editAt === null ? null : new Date(editAt),
      subscription,
    },
  ];
}
