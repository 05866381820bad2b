import type { SubscribeRequest, TypedFilters, TypedWhen } from './request.ts';
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

/** Filters as they are typed for something new, where an empty list is the default anyway. */
export function withoutEmpty({ only, paths, by, notBy }: TypedFilters): TypedFilters {
  const some = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);
  return { only: some(only), paths: some(paths), by: some(by), notBy: some(notBy) };
}

/** All that is set of a subscription, as the request that would make it. */
export function requestOf(row: StoredRequest): SubscribeRequest {
  const { target, comprehensive, threads } = row;
  return {
    act: 'subscribe',
    target,
    comprehensive,
    filters: withoutEmpty(row.filters),
    when: typedWhenOf(row.delivery),
    threads,
    name: row.typedName ?? undefined,
  };
}
