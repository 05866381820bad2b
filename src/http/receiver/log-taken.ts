import { subscriptionFields } from '../../core/model/log-fields.ts';
import type { Notification } from '../../core/model/notification.ts';
import type { Reception } from '../../core/receiving/receive.ts';
import { inParts } from '../../lib/in-parts.ts';
import type { DebugLog } from '../../lib/log.ts';

/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;

type AnsweredNotifications = {
  readonly notifications: readonly Notification[];
  readonly reception: Reception;
  readonly status: number;
};

/** Logs what the service sent and how it was answered, so a notification can be traced by its id. */
export function logTaken(log: DebugLog, { notifications, reception, status }: AnsweredNotifications): void {
  if (!log.isLevelEnabled('debug')) return;
  const of = reception.kind === 'stored' ? subscriptionFields(reception.subscription) : {};
  for (const ids of inParts(notifications, idsALine)) {
    const named = ids.map(({ id }) => id).join(' ');
    log.debug({ notifications: named, ...of, result: reception.kind, status }, 'notification');
  }
}
