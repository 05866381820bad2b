import { isWithinLimits } from './glob.ts';
import type { SubscribeRequest, TypedFilters, TypedWhen } from './request.ts';
import type { Delivery, Filters, Scope, StoredSettings } from './subscription.ts';
import { isGlob } from './typed-text.ts';

/** Returns the request to follow something with nothing else set; of what follows it already, that changes at most the scope. */
export function subscribeTo({
  target,
  comprehensive,
}: Pick<SubscribeRequest, 'target' | 'comprehensive'>): SubscribeRequest {
  return { act: 'subscribe', target, comprehensive, filters: {} };
}

export const noFilters: Filters = { only: [], paths: [], by: [], notBy: [] };

/** Merges filters: typed ones replace those before, the rest stay. */
export function filtersFrom({ filters }: Pick<SubscribeRequest, 'filters'>, before: Filters): Filters {
  return {
    only: filters.only ?? before.only,
    paths: filters.paths ?? before.paths,
    by: filters.by ?? before.by,
    notBy: filters.notBy ?? before.notBy,
  };
}

/** Returns the typed delivery, or the one before if none was typed. `zone`: IANA name of the person's time zone, for a time typed without one. */
export function deliveryFrom(
  { when }: Pick<SubscribeRequest, 'when'>,
  before: Delivery,
  zone: string,
): Delivery {
  if (when === undefined) return before;
  return 'at' in when ? { ...when, zone: when.zone ?? zone } : when;
}

/** Returns the delivery as it would be typed, without its zone. */
function typedWhenOf(delivery: Delivery): TypedWhen {
  if (!('zone' in delivery)) return delivery;
  const { zone: _, ...typed } = delivery;
  return typed;
}

/** Drops empty lists, which are the default for a new subscription anyway. */
function withoutEmpty({ only, paths, by, notBy }: TypedFilters): TypedFilters {
  const some = <T>(list: readonly T[] | undefined) => (list?.length ? list : undefined);
  return { only: some(only), paths: some(paths), by: some(by), notBy: some(notBy) };
}

/** Returns the request that would make this subscription with all its settings. */
export function requestOf(row: Scope & StoredSettings): SubscribeRequest {
  return {
    ...subscribeTo(row),
    filters: withoutEmpty(row.filters),
    when: typedWhenOf(row.delivery),
    threads: row.threads,
    name: row.typedName ?? undefined,
    ping: row.ping ?? undefined,
  };
}

/** Returns the request to follow a project instead of folders and files in it, filtered by their names where those can be patterns. */
export function projectInstead(
  projectId: string,
  names: readonly string[],
  personal: boolean,
): SubscribeRequest {
  const paths = names.filter((name) => isGlob(name) && !name.startsWith('!'));
  return {
    ...subscribeTo({ target: { kind: 'project', projectId }, comprehensive: true }),
    filters: paths.length > 0 && isWithinLimits(paths) ? { paths } : {},
    personal: personal || undefined,
  };
}
