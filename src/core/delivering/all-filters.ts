import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { Filters } from '../model/subscription.ts';

/**
 * Returns the sets of filters that an event has to pass. For a followed item, these include the current ones of the channel's
 * subscription that supplies its events.
 */
export function allFilters({ filters, sourceFilters }: LaneSubscription): readonly Filters[] {
  return sourceFilters === null ? [filters] : [filters, sourceFilters];
}
