import { subscriptionFields } from '../core/model/log-fields.ts';
import type { AnsweredRequest } from '../http/receiver/take-notifications.ts';
import { inParts } from '../lib/in-parts.ts';
import type { Logger } from '../lib/log.ts';

/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;

/** Logs what the service sent, so a notification can be traced by its id. */
export function logTaken(
  log: Logger,
  { subscription, notificationIds, result, status }: AnsweredRequest,
): void {
  for (const ids of inParts(notificationIds, idsALine)) {
    const of = subscription && subscriptionFields(subscription);
    log.debug({ notifications: ids.join(' '), ...of, result, status }, 'notification');
  }
}
