import type { FilterKind, Outcome, TracedEvent } from '../messages/why.ts';
import type { Settings } from '../messages/words.ts';
import type { Subscription } from '../store/subscriptions.ts';
import type { Trace } from '../store/traces.ts';
import type { Change } from './change.ts';
import type { Notification } from './notification.ts';
import type { Workspace } from './people.ts';
import { subscribedOf } from './subscribed-of.ts';
import { whatChanged } from './what-changed.ts';

/** A subscription and what is set for it, with the names of people in its filters. */
export type TracedRow = {
  readonly row: Subscription;
  readonly settings: Settings;
  /** When that was last changed; null where it is as it was at first. */
  readonly changedAt: Date | null;
};

export type TellTracesDeps = {
  /** The name to show for an e-mail address of the service, where Slack knows one. */
  readonly nameOf: (workspace: Workspace, email: string) => Promise<string | null>;
};

/** Works out what events did and what became of them. `rows`: their subscriptions, and those that told the same, by id. */
export type TellTraces = (
  traces: readonly Trace[],
  known: { readonly rows: ReadonlyMap<string, TracedRow>; readonly mutedUntil: Date | null },
) => Promise<TracedEvent[]>;

export function makeTellTraces(deps: TellTracesDeps): TellTraces {
  return async (traces, known) => {
    const [first] = known.rows.values();
    const emails = new Set(
      traces.map(({ notification }) => notification?.actorEmail).filter((email) => email != null),
    );
    const found = [...emails].map(
      async (email) => [email, first ? await deps.nameOf(first.row, email) : null] as const,
    );
    const names = new Map(await Promise.all(found));
    return traces.map((trace) => ({
      change: trace.notification && changeOf(trace.notification, trace, names),
      receivedAt: trace.receivedAt,
      outcome: outcomeOf(trace, known),
    }));
  };
}

/** What was remembered of the item then is not known any more: what was not told, of which nothing was kept, is just an update. */
function changeOf(
  notification: Notification,
  { receivedAt, told }: Trace,
  names: ReadonlyMap<string, string | null>,
): Change {
  const change = whatChanged(notification, null, null);
  const { actorEmail, happenedAt } = change;
  return {
    ...change,
    ...told,
    actorName: actorEmail === null ? null : (names.get(actorEmail) ?? null),
    happenedAt: Number.isNaN(happenedAt.getTime()) ? receivedAt : happenedAt,
  };
}

type Known = Parameters<TellTraces>[1];

function outcomeOf(trace: Trace, known: Known): Outcome {
  switch (trace.state) {
    case 'posted':
      return { kind: 'posted', at: trace.postedAt };
    case 'dead':
      return { kind: 'dead', error: trace.reason ?? 'unknown' };
    case 'pending':
      return outcomeOfWaiting(trace, known);
    case 'filtered':
      return outcomeOfLeftOut(trace, known);
  }
}

function outcomeOfWaiting({ reason, subscriptionId }: Trace, { rows, mutedUntil }: Known): Outcome {
  switch (reason) {
    case null:
      return { kind: 'next' };
    case 'muted':
      return { kind: 'muted', until: mutedUntil };
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

function outcomeOfLeftOut({ reason, subscriptionId, toldBy, receivedAt }: Trace, { rows }: Known): Outcome {
  const known = rows.get(subscriptionId);
  if (reason !== null && isFilterKind(reason)) {
    // It may have been judged by what was set before.
    const isAsThen = known && (known.changedAt === null || known.changedAt < receivedAt);
    return { kind: 'filtered', by: reason, settings: isAsThen ? known.settings : null };
  }
  switch (reason) {
    case 'covered': {
      const other = toldBy === null || toldBy === subscriptionId ? undefined : rows.get(toldBy)?.row;
      return { kind: 'covered', told: other ? subscribedOf(other) : null };
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
