import type { SubscribeRequest, TypedWhen } from './request.ts';
import type { Delivery, Filters, Target } from './subscription.ts';

export const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };

/** What was typed changes what is there; what was not typed stays. */
export function filtersFrom({ filters }: Pick<SubscribeRequest, 'filters'>, before: Filters): Filters {
  return {
    only: filters.only ?? before.only,
    paths: filters.paths ?? before.paths,
    by: filters.by ?? before.by,
    notBy: filters.notBy ?? before.notBy,
  };
}

/** Times are those of the typist's clock. `zone` is an IANA name. */
export function deliveryFrom(
  { when }: Pick<SubscribeRequest, 'when'>,
  before: Delivery,
  zone: string,
): Delivery {
  if (when === undefined) return before;
  return when.when === 'daily' ? { ...when, zone } : when;
}

/** The same as it would be typed, on whichever clock. */
export function typedWhenOf(delivery: Delivery): TypedWhen {
  if (delivery.when !== 'daily') return delivery;
  const { zone: _, ...typed } = delivery;
  return typed;
}

type StoredRequest = {
  readonly target: Target;
  readonly comprehensive: boolean;
  readonly filters: Filters;
  readonly delivery: Delivery;
  readonly threads: boolean;
  readonly typedName: string | null;
};

/** All that is set of a subscription, as the request that would make it. */
export function requestOf({
  target,
  comprehensive,
  filters,
  delivery,
  threads,
  typedName,
}: StoredRequest): SubscribeRequest {
  const some = <T>(list: readonly T[]) => (list.length > 0 ? list : undefined);
  return {
    act: 'subscribe',
    target,
    comprehensive,
    filters: {
      only: some(filters.only),
      paths: some(filters.paths),
      by: some(filters.by),
      notBy: some(filters.notBy),
    },
    when: typedWhenOf(delivery),
    threads,
    name: typedName ?? undefined,
  };
}
