import type { Logger } from 'pino';
import type { Turn } from '../core/delivering/turn.ts';
import { subscriptionFields } from '../core/model/log-fields.ts';
import type { AnsweredRequest } from '../http/receiver/take-notifications.ts';
import type { Subscriptions } from '../store/tables/subscriptions.ts';
import type { SettledTrace, Traces } from '../store/tables/traces.ts';

/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;

/** Logs what the service sent, so a notification can be traced by its id. */
export function logTaken(
  log: Logger,
  { subscription, notificationIds, result, status }: AnsweredRequest,
): void {
  for (const ids of parts(notificationIds)) {
    const of = subscription && subscriptionFields(subscription);
    log.debug({ notifications: ids.join(' '), ...of, result, status }, 'notification');
  }
}

/**
 * Returns a function that logs each turn: which notifications became which message, which did not and why, and each subscription that
 * ended with the turn. The outcomes are read from the database, so no query is made unless debug lines are enabled.
 */
export function makeLogTurn(deps: {
  traces: Pick<Traces, 'settled'>;
  subscriptions: Pick<Subscriptions, 'byId'>;
  log: Logger;
}) {
  const { traces, subscriptions, log } = deps;
  return async (turn: Pick<Turn, 'posted' | 'dropped' | 'ended'>): Promise<void> => {
    try {
      for (const id of turn.ended) {
        const row = await subscriptions.byId(id);
        if (row) log.info({ ...subscriptionFields(row), reason: 'deleted' }, 'removed');
      }
      if (!log.isLevelEnabled('debug')) return;
      const settled = await traces.settled([turn.posted, ...turn.dropped.values()].flat());
      const alike = Object.values(
        Object.groupBy(settled, ({ state, reason, messageTs }) => `${state} ${reason} ${messageTs}`),
      );
      for (const events of alike) logSettled(log, events ?? []);
    } catch (error) {
      log.debug({ err: error }, 'could not look up a turn to log it');
    }
  };
}

function logSettled(log: Logger, settled: readonly SettledTrace[]): void {
  for (const events of parts(settled)) {
    const [first] = events;
    if (!first) continue;
    log.debug(
      {
        team: first.teamId,
        channel: first.channelId,
        state: first.state,
        reason: first.reason ?? undefined,
        message: first.messageTs ?? undefined,
        events: events.map(({ seq }) => seq).join(' '),
        notifications: events.map(({ notificationId }) => notificationId).join(' '),
      },
      'turn',
    );
  }
}

function parts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / idsALine) }, (_, index) =>
    all.slice(index * idsALine, (index + 1) * idsALine),
  );
}
