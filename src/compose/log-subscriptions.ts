import { pausedByPerson } from '../core/model/pause-reason.ts';
import type { Subscription } from '../store/tables/subscription-row.ts';
import type { Subscriptions } from '../store/tables/subscriptions.ts';

export type EventLog = { readonly info: (fields: Record<string, unknown>, message: string) => void };

/** The reasons of what a person does: who did it is logged with the audit. */
const personal: readonly (string | undefined)[] = ['removed', pausedByPerson];

/**
 * The table `subscriptions` with a line for each row that is removed, paused or resumed by something other than a person's command:
 * a channel that closed, a link that was lost, a resource that was deleted. `person` is the owner in these lines.
 */
export function logging(subscriptions: Subscriptions, log: EventLog): Subscriptions {
  const line = (what: string, row: Subscription, reason: string | undefined): void => {
    if (personal.includes(reason)) return;
    log.info(subscriptionFields(row, reason), what);
  };
  return {
    ...subscriptions,
    async end(ids, reason, now) {
      const rows = await subscriptions.end(ids, reason, now);
      for (const row of rows) line('removed', row, reason);
      return rows;
    },
    async pause(ids, reason, now) {
      const rows = await subscriptions.pause(ids, reason, now);
      for (const row of rows) line('paused', row, reason);
      return rows;
    },
    async resume(ids, now, reason) {
      const rows = await subscriptions.resume(ids, now, reason);
      for (const row of rows) line('resumed', row, reason);
      return rows;
    },
  };
}

/** What a line says of a subscription. */
export function subscriptionFields(row: Subscription, reason: string | undefined): Record<string, unknown> {
  const { id, enterpriseId, teamId, channelId, ownerUserId } = row;
  const where = { enterprise: enterpriseId ?? undefined, team: teamId, channel: channelId };
  return { ...where, person: ownerUserId, subscription: id, reason };
}

/** A log that keeps its lines until `release`: what is rolled back has not happened. */
export function holdLines(log: EventLog): EventLog & { readonly release: () => void } {
  const lines: Parameters<EventLog['info']>[] = [];
  return {
    info: (...line) => void lines.push(line),
    release: () => {
      for (const line of lines.splice(0)) log.info(...line);
    },
  };
}
