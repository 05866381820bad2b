import type { ListedSubscription } from '../../messages/subscribing/list-rows.ts';
import type { Who } from '../../messages/text/copy.ts';
import type { Audit } from '../../store/tables/audit.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Traces } from '../../store/tables/traces.ts';
import { pauseAct } from '../channels/pause-subscription.ts';
import type { ShownNames } from '../channels/shown-names.ts';
import { unmatchedCount } from '../model/filters.ts';
import { namesOf } from '../model/names-of.ts';
import { isPausedByPerson, pauseReasonOf } from '../model/pause-reason.ts';
import type { ProfileOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { worryingStatus } from '../model/subscription.ts';

export type ListSubscriptionsDeps = {
  readonly profileOf: ProfileOf;
  readonly namesIn: ShownNames['namesIn'];
  readonly audited: Pick<Audit, 'lastTo'>;
  readonly traces: Pick<Traces, 'unmatched'>;
};

/**
 * Returns rows in the form that lists show, in the same order. People and filters are only looked up for rows from `from` up to, but not
 * including, `to`: the others are on other pages.
 */
type ListSubscriptions = (
  rows: readonly Subscription[],
  shown: { readonly from: number; readonly to: number },
) => Promise<ListedSubscription[]>;

export function makeListSubscriptions(deps: ListSubscriptionsDeps): ListSubscriptions {
  return async (rows, { from, to }) => {
    const shown = rows.slice(from, to);
    const pausedBy = await whoPaused(deps.audited, shown);
    const [people, unmatched, names] = await Promise.all([
      peopleNamed(shown, pausedBy),
      deps.traces.unmatched(withPaths(shown), unmatchedCount),
      Promise.all(shown.map((row) => deps.namesIn(row, row.filters))),
    ]);
    const whoIs = (userId: string): Who => ({ userId, name: people.get(userId) ?? userId });
    return rows.map((row, index) => {
      const by = pausedBy.get(row.id);
      return listedOf(row, {
        owner: whoIs(row.ownerUserId),
        pausedBy: by === undefined ? undefined : whoIs(by),
        names: names[index - from],
        unmatched: unmatched.has(row.id),
      });
    });
  };

  async function peopleNamed(
    rows: readonly Subscription[],
    pausedBy: ReadonlyMap<string, string>,
  ): Promise<ReadonlyMap<string, string>> {
    const people = rows.flatMap((row) =>
      [row.ownerUserId, pausedBy.get(row.id)].flatMap((userId) =>
        userId === undefined ? [] : [{ ...row, userId }],
      ),
    );
    return namesOf(deps.profileOf, people);
  }
}

/** Returns the ids of the rows that filter by path. */
export function withPaths(rows: readonly Subscription[]): string[] {
  return rows.filter(({ filters }) => filters.paths.length > 0).map(({ id }) => id);
}

/** Returns who paused each subscription that a person paused, by subscription id. `rows` belong to one workspace. */
export async function whoPaused(
  audited: Pick<Audit, 'lastTo'>,
  rows: readonly Subscription[],
): Promise<ReadonlyMap<string, string>> {
  const paused = rows.filter(isPausedByPerson);
  const [first] = paused;
  if (first === undefined) return new Map();
  const ids = paused.map(({ id }) => id);
  const found = await audited.lastTo(first, pauseAct, ids);
  return new Map([...found].map(([id, { userId }]) => [id, userId]));
}

type Named = {
  readonly owner: Who;
  readonly pausedBy: Who | undefined;
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly unmatched: boolean;
};

function listedOf(row: Subscription, { owner, pausedBy, names, unmatched }: Named): ListedSubscription {
  const reason = pauseReasonOf(row);
  return {
    id: row.id,
    subscribed: subscribedOf(row),
    owner,
    settings: { filters: row.filters, delivery: row.delivery, threads: row.threads, names },
    state: row.state,
    ...(reason ? { pause: { reason, owner, by: pausedBy } } : {}),
    serviceStatus: worryingStatus(row.health) ?? undefined,
    lacksPlaces: row.lacksIdPath,
    unmatched: unmatched ? unmatchedCount : undefined,
    lastEventAt: row.lastEventAt,
    followedFrom: row.fedFrom ?? undefined,
  };
}
