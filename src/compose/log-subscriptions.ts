import { subscriptionFields } from '../core/model/log-fields.ts';
import { pausedByPerson } from '../core/model/pause-reason.ts';
import type { Log } from '../lib/log.ts';
import type { Subscription } from '../store/tables/subscription-row.ts';
import type { Subscriptions } from '../store/tables/subscriptions.ts';

export type EventLog = Pick<Log, 'info'>;

/** Reasons for a person's own actions, which are logged with the audit. */
const personal: readonly (string | undefined)[] = ['removed', pausedByPerson];

/**
 * Wraps the table `subscriptions` to log each row that is removed, paused or resumed by something other than a person's command: a
 * closed channel, a lost link, a deleted resource. In these lines `person` is the owner.
 */
export function logging(subscriptions: Subscriptions, log: EventLog): Subscriptions {
  const logged = (what: string, rows: Subscription[], reason: string | undefined): Subscription[] => {
    if (!personal.includes(reason))
      for (const row of rows) log.info({ ...subscriptionFields(row), reason }, what);
    return rows;
  };
  return {
    ...subscriptions,
    end: async (ids, reason, now) => logged('removed', await subscriptions.end(ids, reason, now), reason),
    pause: async (ids, reason, now) => logged('paused', await subscriptions.pause(ids, reason, now), reason),
    resume: async (ids, now, reason) =>
      logged('resumed', await subscriptions.resume(ids, now, reason), reason),
  };
}
