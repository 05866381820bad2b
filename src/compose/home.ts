import { makeShowHome } from '../core/subscribing/show-home.ts';
import type { Base, Rooms } from './base.ts';

/** Composes the Home tab, before the rooms that refresh it. */
export function composeHome(
  { store, slack, copy, log }: Base,
  { names, listExclusions }: Pick<Rooms, 'names' | 'listExclusions'>,
) {
  return makeShowHome({
    ...store,
    ...store.tables,
    ...slack,
    publish: slack.screens.publishHome,
    namesIn: names.namesIn,
    listExclusions,
    lastTo: store.audit.lastTo,
    copy,
    now: () => performance.now(),
    log,
  });
}
