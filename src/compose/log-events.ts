import type { Logger } from 'pino';
import type { CommandContext } from '../core/access/command-context.ts';
import type { Turn } from '../core/delivering/turn.ts';
import type { Link } from '../core/model/link.ts';
import type { Workspace } from '../core/model/people.ts';
import type { AnsweredRequest } from '../http/receiver/take-notifications.ts';
import type { Subscriptions } from '../store/tables/subscriptions.ts';
import type { SettledTrace, Traces } from '../store/tables/traces.ts';
import { subscriptionFields } from './log-subscriptions.ts';

/** What the audit calls an act, in the log's word for it. */
const actNames: Readonly<Record<string, string>> = {
  subscribe: 'subscribed',
  'change subscription': 'changed',
  unsubscribe: 'removed',
  'pause subscription': 'paused',
  'resume subscription': 'resumed',
};

/** A line about what a person has done in Slack. `subject` is the id of what it was done to. */
export function logAct(log: Logger, { person, channelId }: CommandContext, { act, subject }: Act): void {
  const named = actNames[act];
  const where = { ...workspaceOf(person), channel: channelId, person: person.userId };
  if (named === undefined) log.info({ ...where, act }, 'an act of the audit');
  else log.info({ ...where, subscription: subject }, named);
}

type Act = { readonly act: string; readonly subject: string };

/** A line about a person who is linked, or no more. */
export function logLink(log: Logger, what: 'linked' | 'unlinked', link: Link): void {
  log.info({ ...workspaceOf(link), person: link.userId, link: link.id }, what);
}

function workspaceOf({ enterpriseId, teamId }: Workspace) {
  return { enterprise: enterpriseId ?? undefined, team: teamId };
}

/** Ids that fit into one field of a line uncut. */
const idsALine = 20;

/** A line about what the service sent, so that a notification can be followed by its id. */
export function logTaken(
  log: Logger,
  { subscriptionId, notificationIds, result, status }: AnsweredRequest,
): void {
  for (const ids of parts(notificationIds)) {
    log.debug(
      { notifications: ids.join(' '), subscription: subscriptionId ?? undefined, result, status },
      'notification',
    );
  }
}

/**
 * Makes what writes a line about each turn: which notifications became which message, and which did not and why, and about each
 * subscription that ended with it. What became of them is read from the table, so nothing is asked of the database unless such lines
 * are wanted.
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
        if (row) log.info(subscriptionFields(row, 'deleted'), 'removed');
      }
      if (!log.isLevelEnabled('debug')) return;
      const settled = await traces.settled([turn.posted, ...turn.dropped.values()].flat());
      const alike = Object.values(
        Object.groupBy(settled, ({ state, reason, messageTs }) => `${state} ${reason} ${messageTs}`),
      );
      for (const events of alike) logSettled(log, events ?? []);
    } catch (error) {
      log.debug({ err: error }, 'a turn could not be looked up');
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
