import { makeShowHome } from '../core/subscribing/show-home.ts';
import type { Base, Rooms } from './base.ts';

/** Composes the Home tab, before the rooms that refresh it. */
export function composeHome(
  { store, slack, copy, log }: Base,
  { names, listExclusions, access }: Pick<Rooms, 'names' | 'listExclusions' | 'access'>,
) {
  return makeShowHome({
    ...store,
    ...store.tables,
    ...slack,
    publish: slack.screens.publishHome,
    namesIn: names.namesIn,
    listExclusions,
    homeOf: access.homeOf,
    audited: store.audit,
    copy,
    now: () => performance.now(),
    log,
  });
}
