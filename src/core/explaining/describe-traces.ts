import type { FilterKind, Outcome, TracedEvent } from '../../messages/explaining/traced-event.ts';
import type { SubscriptionSettings } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Trace } from '../../store/tables/traces.ts';
import { presentChanges } from '../access/present-changes.ts';
import type { Bot } from '../bot.ts';
import { recalledChange } from '../delivering/recall-changes.ts';
import type { silenceOf } from '../model/quiet-hours.ts';
import { subscribedOf } from '../model/subscription.ts';

/** A subscription and its settings, with the names of people in its filters. */
export type TracedRow = {
  readonly row: Subscription;
  readonly settings: SubscriptionSettings;
  /** When the settings were last changed; null if never. */
  readonly changedAt: Date | null;
};

type TraceFacts = {
  /** By id, the events' subscriptions and those that posted the same changes. */
  readonly rows: ReadonlyMap<string, TracedRow>;
  /** What keeps the channel silent now. */
  readonly silence: ReturnType<typeof silenceOf>;
};

/** Describes events and their outcomes. */
export async function describeTraces(
  bot: Bot,
  traces: readonly Trace[],
  known: TraceFacts,
): Promise<TracedEvent[]> {
  const changes = traces.map(({ notification, postedAs, receivedAt }) =>
    notification === null ? null : recalledChange({ notification, postedAs, receivedAt }, null),
  );
  const [first] = known.rows.values();
  const presented = first ? await presentChanges(bot, first.row, changes) : changes;
  return traces.map((trace, index) => ({
    change: presented[index] ?? null,
    receivedAt: trace.receivedAt,
    outcome: outcomeOf(trace, known),
  }));
}

function outcomeOf(trace: Trace, known: TraceFacts): Outcome {
  switch (trace.state) {
    case 'posted':
      return { kind: 'posted', at: trace.postedAt };
    case 'dead':
      return { kind: 'dead', error: trace.reason ?? 'unknown' };
    case 'pending':
      return outcomeOfWaiting(trace, known);
    case 'filtered':
      return outcomeOfFiltered(trace, known);
  }
}

function outcomeOfWaiting({ reason, subscriptionId }: Trace, { rows, silence }: TraceFacts): Outcome {
  switch (reason) {
    case null:
      return { kind: 'next' };
    case 'muted':
      return { kind: 'muted', by: silence?.by ?? 'mute', until: silence?.until ?? null };
    case 'paused':
      return { kind: 'paused' };
    case 'digest': {
      const delivery = rows.get(subscriptionId)?.row.delivery;
      return delivery ? { kind: 'digest', delivery } : { kind: 'next' };
    }
    default:
      return { kind: 'other', reason };
  }
}

const filterKinds: ReadonlySet<string> = new Set<FilterKind>(['type', 'person', 'path']);

function outcomeOfFiltered(
  { reason, subscriptionId, duplicateOf, receivedAt, notification }: Trace,
  { rows }: TraceFacts,
): Outcome {
  const known = rows.get(subscriptionId);
  const target = known?.row.target;
  // Of what is outside, only ids are stored.
  if (reason === 'path' && target && 'itemId' in target && notification?.name == null) {
    return { kind: 'outside', of: target.kind };
  }
  if (reason !== null && isFilterKind(reason)) {
    // If the settings changed since, earlier ones may have filtered the event.
    const isAsThen = known && (known.changedAt === null || known.changedAt < receivedAt);
    return { kind: 'filtered', by: reason, settings: isAsThen ? known.settings : null };
  }
  switch (reason) {
    case 'item':
      return { kind: 'item muted' };
    case 'covered': {
      const other =
        duplicateOf === null || duplicateOf === subscriptionId ? undefined : rows.get(duplicateOf)?.row;
      return { kind: 'duplicate', of: other ? subscribedOf(other) : null };
    }
    case 'ended':
      return { kind: 'ended' };
    case 'stale':
      return { kind: 'stale' };
    default:
      return { kind: 'other', reason: reason ?? 'unknown' };
  }
}

function isFilterKind(reason: string): reason is FilterKind {
  return filterKinds.has(reason);
}
