import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { SubscribeRequest, TypedWhen } from '../model/request.ts';
import type { Filters } from '../model/subscription.ts';
import { filtersFrom, noFilters, typedWhenOf } from '../model/typed-settings.ts';

/**
 * Returns the shortest request with all settings of the subscription that a request makes or changes: those that differ from the defaults,
 * and those that the change resets to them. It gives the same subscription where there is none yet.
 * @param usual when the workspace posts by default
 * @param before the subscription as it is; null for a new one
 */
export function brief(
  request: SubscribeRequest,
  usual: TypedWhen['when'],
  before: Pick<Subscription, 'filters' | 'delivery' | 'threads' | 'typedName' | 'ping'> | null,
): SubscribeRequest {
  const { ping = before?.ping ?? null, name = before?.typedName ?? null } = request;
  const old = before?.filters ?? noFilters;
  const filters = filtersFrom(request, old);
  const listed = <Key extends keyof Filters>(key: Key) =>
    filters[key].length > 0 || old[key].length > 0 ? filters[key] : undefined;
  const when = request.when ?? (before === null ? undefined : typedWhenOf(before.delivery));
  const isUsual = usual === 'live' && (before === null || before.delivery.when === 'live');
  const threads = request.threads ?? before?.threads ?? false;
  return {
    ...request,
    filters: { only: listed('only'), paths: listed('paths'), by: listed('by'), notBy: listed('notBy') },
    when: when?.when === 'live' && isUsual ? undefined : when,
    threads: threads || before?.threads === true ? threads : undefined,
    ping: ping ?? (before?.ping ? null : undefined),
    name: name ?? undefined,
  };
}
