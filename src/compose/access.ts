import type { Logger } from 'pino';
import { makeAccessRoom } from '../core/access/access-room.ts';
import type { Clock } from '../core/model/clock.ts';
import type { Copy } from '../messages/text/copy.ts';
import { logAct } from './log-events.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

type AccessDeps = {
  readonly store: Pick<StoreRoom, 'audit' | 'settings' | 'requests'>;
  readonly slack: Pick<SlackRoom, 'profileOf' | 'isAdmin' | 'isInChannel' | 'adminsOf' | 'screens'>;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly log: Logger;
};

/** Who may do what. */
export function composeAccess({ store, slack, copy, clock, log }: AccessDeps) {
  return makeAccessRoom({
    audit: store.audit,
    settings: store.settings,
    requests: store.requests,
    profileOf: slack.profileOf,
    isAdmin: slack.isAdmin,
    isInChannel: slack.isInChannel,
    adminsOf: slack.adminsOf,
    openForm: slack.screens.openForm,
    copy,
    clock,
    written: (context, entry) => logAct(log, context, entry),
  });
}
