import type { ListedSubscription } from '../../messages/subscribing/lists.ts';
import type { PauseReason, Who } from '../../messages/text/copy.ts';
import type { Subscription } from '../../store/tables/subscriptions.ts';
import type { Channel, ProfileOf } from '../model/people.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { type Filters, worryingStatus } from '../model/subscription.ts';

export type ListSubscriptionsDeps = {
  readonly profileOf: ProfileOf;
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
};

/**
 * Rows as lists show them, in the same order. Names of people are looked up for those from `from` up to, and without, `to`: the
 * others are on another page.
 */
export type ListSubscriptions = (
  rows: readonly Subscription[],
  shown: { readonly from: number; readonly to: number },
) => Promise<ListedSubscription[]>;

export function makeListSubscriptions(deps: ListSubscriptionsDeps): ListSubscriptions {
  return async (rows, { from, to }) => {
    const shown = rows.slice(from, to);
    const [owners, names] = await Promise.all([
      ownersOf(shown),
      Promise.all(shown.map((row) => deps.namesIn(row, row.filters))),
    ]);
    return rows.map((row, index) => listedOf(row, owners, names[index - from]));
  };

  async function ownersOf(rows: readonly Subscription[]): Promise<ReadonlyMap<string, Who>> {
    const people = new Map(rows.map((row) => [row.ownerUserId, { ...row, userId: row.ownerUserId }]));
    const found = [...people].map(async ([userId, person]) => {
      // A list is worth having with one name missing.
      const profile = await deps.profileOf(person).catch(() => null);
      return [userId, { userId, name: profile?.name ?? userId }] as const;
    });
    return new Map(await Promise.all(found));
  }
}

function listedOf(
  row: Subscription,
  owners: ReadonlyMap<string, Who>,
  names: ReadonlyMap<string, string> | undefined,
): ListedSubscription {
  const owner = owners.get(row.ownerUserId) ?? { userId: row.ownerUserId, name: row.ownerUserId };
  const reason = pauseReasonOf(row);
  return {
    id: row.id,
    subscribed: subscribedOf(row),
    owner,
    settings: { filters: row.filters, delivery: row.delivery, threads: row.threads, names },
    state: row.state,
    ...(reason ? { pause: { reason, owner } } : {}),
    serviceStatus: worryingStatus(row.health) ?? undefined,
    lastEventAt: row.lastEventAt,
  };
}

const pauseReasons: Readonly<Record<PauseReason, true>> = {
  'not in channel': true,
  'channel archived': true,
  'posting restricted': true,
  'workspace access': true,
  'link lost': true,
  unlinked: true,
  'owner gone': true,
  'no access': true,
  'not sent any more': true,
  'by a person': true,
};

/** Why a row is paused, where it is. */
export function pauseReasonOf({ state, reason }: Pick<Subscription, 'state' | 'reason'>): PauseReason | null {
  return state === 'paused' && reason !== null && reason in pauseReasons ? (reason as PauseReason) : null;
}
