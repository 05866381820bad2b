import type { OwnFault } from '../../messages/explaining/dead-reasons.ts';
import type { Message } from '../../messages/text/message.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { TakenLane } from '../../store/tables/taken-lane.ts';
import type { TurnMark } from '../../store/tables/turn-mark.ts';
import type { Change, PostedAs } from '../model/change.ts';
import type { Joining, LaneCard, MessageKind } from '../model/lane-card.ts';
import type { Mentioned } from '../model/subscription.ts';
import type { HeldReason } from '../model/summary-lead.ts';

/** A lane that was claimed for one turn. */
export type ClaimedLane = TakenLane<Message>;

/** What one turn of a lane posts, and what it marks afterwards. */
export type Turn = {
  readonly changes: readonly Change[];
  readonly kind: MessageKind;
  /** In a summary: its cause, and the start of the period it covers. */
  readonly because: HeldReason | null;
  readonly since: Date | null;
  /** How many events were skipped because they waited more than a week. */
  readonly stale: number;
  /** `seq`s of the events to post, in the order of `changes`. */
  readonly posted: readonly string[];
  /** How updates are posted, by `seq`: the notification alone does not show what they changed. */
  readonly postedAs: ReadonlyMap<string, PostedAs>;
  /** Whom the message mentions, by the event for which a subscription wants it. */
  readonly pings: readonly TurnPing[];
  /** When the events to post were accepted, except those held on purpose or retried. */
  readonly acceptedAt: readonly Date[];
  /** `seq`s of the dropped events, by reason. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  /** `seq`s of events outside of the followed folder, of which only ids are kept. */
  readonly idsOnly: ReadonlySet<string>;
  /** `seq`s of events that cannot be rendered or read, by fault. */
  readonly broken: ReadonlyMap<OwnFault, readonly string[]>;
  readonly items: ReadonlyMap<string, KnownItem | null>;
  /** Items that the message shows. */
  readonly shownKeys: readonly string[];
  /** The thread to post in; null for the channel itself. */
  readonly threadTs: string | null;
  /** Items whose thread the message becomes, if it is posted in the channel itself. */
  readonly threadKeys: readonly string[];
  /** What decides whether more can join the message. */
  readonly joining: Joining;
  /** The message into which the events are edited, as it will be but for its time; null if they need a new one. */
  readonly edit: LaneCard | null;
  /** When the next edit that events wait for is due; and by `seq` for those that did not know that yet. */
  readonly editAt: Date | null;
  readonly editTimes: ReadonlyMap<string, Date>;
  /** Whether pending events were left for the next turn. */
  readonly more: boolean;
  readonly notes: TurnMark['notes'];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** Those of them whose deletion is not posted because a filter excludes it, or it is too old. */
  readonly endedUnposted: readonly LaneSubscription[];
};

/** A mention that a subscription wants for an event. */
export type TurnPing = {
  readonly seq: string;
  readonly subscriptionId: string;
  readonly mentioned: Mentioned;
};

/** What happened to the events that a turn tried to post. */
export type TurnResult =
  | { readonly state: 'posted'; readonly messageTs: string }
  | { readonly state: 'dead'; readonly reason: string };
