import { makeAccessRoom } from '../core/access/access-room.ts';
import type { Base } from './base.ts';
import { logAct } from './log-events.ts';

/** Composes who may do what. */
export function composeAccess({ store, slack, copy, clock, log }: Base) {
  return makeAccessRoom({
    audit: store.audit,
    settings: store.settings,
    requests: store.requests,
    profileOf: slack.profileOf,
    isAdmin: slack.isAdmin,
    isInChannel: slack.isInChannel,
    adminsOf: slack.adminsOf,
    openForm: slack.screens.openForm,
    firstTeamOf: store.tables.subscriptions.firstTeamOf,
    isInstalled: slack.isInstalled,
    copy,
    clock,
    written: (context, entry) => logAct(log, context, entry),
  });
}
