import { makeAccessRoom } from '../core/access/access-room.ts';
import type { Base } from './base.ts';
import { logAct } from './log-events.ts';

/** Composes who may do what. */
export function composeAccess({ store, slack, clock, log }: Base) {
  return makeAccessRoom({
    ...store,
    ...store.tables,
    ...slack,
    ...slack.screens,
    audited: store.audit,
    firstTeamOf: store.tables.subscriptions.firstTeamOf,
    clock,
    written: (context, entry) => logAct(log, context, entry),
  });
}
