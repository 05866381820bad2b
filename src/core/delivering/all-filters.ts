import type { LaneSubscription } from '../../store/tables/subscription-row.ts';
import type { Filters } from '../model/subscription.ts';

/** The filters that an event has to pass: of a followed item also those of the channel's subscription that feeds it, as they are now. */
export function allFilters({ filters, sourceFilters }: LaneSubscription): readonly Filters[] {
  return sourceFilters === null ? [filters] : [filters, sourceFilters];
}
