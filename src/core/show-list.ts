import { type ListedSubscription, subscriptionList } from '../messages/lists.ts';
import type { PauseReason, Who, Wording } from '../messages/words.ts';
import type { Subscription, Subscriptions } from '../store/subscriptions.ts';
import type { Asked } from './asked.ts';
import type { Channel, ProfileOf } from './people.ts';
import type { Filters } from './subscription.ts';

export type ShowListDeps = {
  readonly subscriptions: Pick<Subscriptions, 'ofChannel'>;
  readonly profileOf: ProfileOf;
  readonly namesIn: (channel: Channel, filters: Filters) => Promise<ReadonlyMap<string, string>>;
  readonly wording: (asked: Asked) => Wording;
};

export type ListOptions = {
  /** Whether it was asked for to remove something. */
  readonly toRemove: boolean;
  /** Counts from 0. */
  readonly page?: number | undefined;
  /** In the place of the page that was shown. */
  readonly replace?: boolean | undefined;
};

/** Lists what the channel follows, to the asking person alone. */
export type ShowList = (asked: Asked, options: ListOptions) => Promise<void>;

export function makeShowList(deps: ShowListDeps): ShowList {
  return async (asked, { toRemove, page = 0, replace = false }) => {
    const { person, channelId } = asked;
    const channel = { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
    const rows = await deps.subscriptions.ofChannel(channel);
    const owners = await ownersOf(rows);
    const names = await Promise.all(rows.map((row) => deps.namesIn(channel, row.filters)));
    const listed = rows.map((row, index) => listedOf(row, owners, names[index] ?? new Map()));
    const purpose = toRemove ? 'unsubscribe' : 'subscriptions';
    const list = subscriptionList({ purpose, rows: listed, page, wording: deps.wording(asked) });
    await asked.reply(list, { replace });
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
  names: ReadonlyMap<string, string>,
): ListedSubscription {
  const owner = owners.get(row.ownerUserId) ?? { userId: row.ownerUserId, name: row.ownerUserId };
  const reason = pauseReasonOf(row);
  return {
    id: row.id,
    subscribed: { target: row.target, comprehensive: row.comprehensive, name: row.resourceName },
    owner,
    settings: { filters: row.filters, delivery: row.delivery, threads: row.threads, names },
    state: row.state,
    ...(reason ? { pause: { reason, owner } } : {}),
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
};

/** Why a row is paused, where it is. */
export function pauseReasonOf({ state, reason }: Pick<Subscription, 'state' | 'reason'>): PauseReason | null {
  return state === 'paused' && reason !== null && reason in pauseReasons ? (reason as PauseReason) : null;
}
