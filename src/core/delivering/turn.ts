import type { OwnFault } from '../../messages/explaining/dead-reasons.ts';
import type { KnownItem } from '../../store/tables/items.ts';
import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { Change, PostedAs } from '../model/change.ts';
import type { SummaryCause } from '../model/held-reason.ts';
import type { MessageKind } from '../model/lane-card.ts';
import type { Outage } from '../model/outage.ts';

/** What one turn of a lane posts, and what it marks once that is done. */
export type Turn = {
  readonly changes: readonly Change[];
  readonly kind: MessageKind;
  /** In a summary: why there is one, and since when it counts. */
  readonly because: SummaryCause | null;
  readonly since: Date | null;
  /** When no process was running, where that is why. */
  readonly outage: Outage | null;
  /** How many were skipped because they waited more than a week. */
  readonly stale: number;
  /** `seq`s of what is posted, in the order of `changes`. */
  readonly posted: readonly string[];
  /** What some of them are posted as, by `seq`, where that is not plain from the notification. */
  readonly postedAs: ReadonlyMap<string, PostedAs>;
  /** When what is posted was accepted, but for what was held on purpose or tried again. */
  readonly acceptedAt: readonly Date[];
  /** `seq`s of what is not, by the reason. */
  readonly dropped: ReadonlyMap<string, readonly string[]>;
  /** `seq`s of events of which only ids are kept, as they lie outside of the folder that is followed. */
  readonly idsOnly: ReadonlySet<string>;
  /** `seq`s of events that no message can be made of, by what is wrong with them. */
  readonly broken: ReadonlyMap<OwnFault, readonly string[]>;
  readonly items: ReadonlyMap<string, KnownItem | null>;
  /** The thread it goes into; null for the channel itself. */
  readonly threadTs: string | null;
  /** Items whose thread the message becomes, where it goes into the channel itself. */
  readonly threadKeys: readonly string[];
  /** Whether some of what waits was left for the next turn. */
  readonly more: boolean;
  readonly notes: readonly { id: string; at: Date; name: string | null }[];
  /** Subscriptions whose resource was deleted. */
  readonly ended: readonly string[];
  /** Those of them whose deletion is not posted, since a filter left it out. */
  readonly endedUnseen: readonly LaneSubscription[];
};
