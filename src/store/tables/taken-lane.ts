import type { PostedAs } from '../../core/model/change.ts';
import { type Excluded, type ExclusionSubject, excludedOf } from '../../core/model/filters.ts';
import { type LaneCard, mostEvents } from '../../core/model/lane-card.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import type { QuietHours } from '../../core/model/quiet-hours.ts';
import type { HeldReason } from '../../core/model/summary-lead.ts';
import type { WaitingAnnouncement } from './announcements.ts';
import type { WaitingEvent } from './events.ts';
import type { KnownItem } from './items.ts';
import { type LaneSubscription, laneSubscriptionOf, type SubscriptionInLane } from './subscription-row.ts';

/** A lane that was taken for one turn, with everything the turn needs. */
export type TakenLane<Message> = {
  readonly lane: Channel;
  /** Increases each time the lane is taken; a mark made with an older number is refused. */
  readonly fence: string;
  /** When it was taken, and until when the claim is valid. */
  readonly at: Date;
  readonly until: Date;
  readonly failures: number;
  /** How badly its last turns went. */
  readonly setbacks: number;
  readonly pausedReason: string | null;
  readonly mutedUntil: Date | null;
  /** Its quiet hours, and the stretch of them that is or that comes next. */
  readonly quiet: QuietHours | null;
  readonly quietFrom: Date | null;
  readonly quietUntil: Date | null;
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

export type LaneRow = {
  readonly team_id: string;
  readonly channel_id: string;
  readonly enterprise_id: string | null;
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

export type TakenRow<Message> = LaneRow & {
  /** Null if the lane was not taken. */
  readonly fence: string | null;
  readonly card: LaneCard | null;
  readonly failures: number;
  readonly setbacks: number;
  readonly paused_reason: string | null;
  readonly muted_until: Date | null;
  readonly quiet: QuietHours | null;
  readonly quiet_from: Date | null;
  readonly quiet_until: Date | null;
  readonly events: readonly EventInLane[] | null;
  readonly bytes: number | null;
  readonly keyed: boolean | null;
  readonly waits_more: boolean;
  readonly items: readonly ItemInLane[] | null;
  readonly subscriptions: readonly SubscriptionInLane[] | null;
  readonly announcement: readonly [string, Message, number, string | null, string[] | null] | null;
  readonly throttled_until: Date | null;
  readonly discreet: boolean | null;
  readonly signs: unknown;
  readonly has_several: boolean | null;
  readonly has_duplicates: boolean | null;
  readonly excluded: readonly (readonly [kind: ExclusionSubject['kind'], key: string])[] | null;
  readonly rests_until: Date | null;
};

type ItemInLane = readonly [
  key: string,
  name: string | null,
  path: string | null,
  threadTs: string | null,
  idPath: string | null,
  ownerUserId: string | null,
  messageTs: string | null,
];

/** Returns the channel of a row. */
export function laneOf({ enterprise_id, team_id, channel_id }: LaneRow): Channel {
  return { enterpriseId: enterprise_id, teamId: team_id, channelId: channel_id };
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
  return {
    lane: laneOf(row),
    fence: row.fence ?? '',
    at,
    until,
    failures: row.failures,
    setbacks: row.setbacks,
    pausedReason: row.paused_reason,
    mutedUntil: row.muted_until,
    quiet: row.quiet,
    quietFrom: row.quiet_from,
    quietUntil: row.quiet_until,
    card: row.card,
    throttledUntil: row.throttled_until,
    discreet: row.discreet ?? false,
    showsSigns: row.signs !== false,
    hasSeveral: row.has_several ?? false,
    hasDuplicates: row.has_duplicates ?? true,
    excluded: excludedOf((row.excluded ?? []).map(([kind, key]) => ({ kind, key }))),
    waiting: events.flatMap((event) => waitingOf(event, subscriptions)),
    bytes: row.bytes ?? 0,
    waitsMore: row.waits_more,
    isWhole: eventsEach >= mostEvents,
    orphans: events.flatMap(([seq, id]) => (subscriptions.has(id) ? [] : [seq])),
    items:
      row.keyed === false
        ? null
        : new Map(
            (row.items ?? []).map(([key, name, path, threadTs, idPath, ownerUserId, messageTs]) => [
              key,
              { name, path, threadTs, idPath, ownerUserId, messageTs },
            ]),
          ),
    announcement:
      row.announcement === null
        ? null
        : {
            id: row.announcement[0],
            message: row.announcement[1],
            createdAt: new Date(row.announcement[2]),
            subject: row.announcement[3],
            laterSubjects: row.announcement[4] ?? [],
          },
  };
}

function waitingOf(
  [
    seq,
    subscriptionId,
    notification,
    fingerprint,
    receivedAt,
    summary,
    replayed,
    postedAs,
    editAt,
  ]: EventInLane,
  subscriptions: ReadonlyMap<string, LaneSubscription>,
): WaitingEvent[] {
  const subscription = subscriptions.get(subscriptionId);
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
