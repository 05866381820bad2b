import { inParts } from '../../lib/in-parts.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import * as traces from '../../store/tables/traces.ts';
import type { Bot } from '../bot.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { releaseRound } from '../upstream/sync-round.ts';
import type { Turn, TurnResult } from './turn.ts';

/** The most ids that fit into one field of a log line uncut. */
const idsALine = 20;

/** Counts and logs a turn that is marked, and starts to delete at the service what has ended with it. */
export function noteTurn(bot: Bot, turn: Turn, state: TurnResult['state'] | null, at: Date): void {
  bot.metrics.settled(turn, state, at);
  // The end of a project that a thousand channels follow starts few of these.
  if (turn.ended.length > 0)
    bot.later.runOnce('release', () => releaseRound(bot), 'could not release what has ended');
  logTurn(bot, turn).catch((error: unknown) =>
    bot.log.debug({ err: error }, 'could not look up a turn to log it'),
  );
}

/**
 * Logs each subscription that ended with a turn, and at `debug` which notifications became which message, which did not and why. That is
 * read from the database, so no query is made unless such lines are written.
 */
async function logTurn({ db, log }: Bot, { ended, posted, dropped }: Turn): Promise<void> {
  for (const id of ended) {
    const row = await subscriptions.byId(db, id);
    if (row) log.info({ ...subscriptionFields(row), reason: 'deleted' }, 'removed');
  }
  if (!log.isLevelEnabled('debug')) return;
  const settled = await traces.settled(db, [posted, ...dropped.values()].flat());
  const alike = Map.groupBy(settled, ({ state, reason, messageTs }) => `${state} ${reason} ${messageTs}`);
  for (const events of alike.values()) {
    for (const line of inParts(events, idsALine)) {
      const { teamId: team, channelId: channel, state, reason, messageTs } = line[0] as (typeof line)[0];
      const ids = {
        events: line.map(({ seq }) => seq).join(' '),
        notifications: line.map(({ notificationId }) => notificationId).join(' '),
      };
      log.debug(
        { team, channel, state, reason: reason ?? undefined, message: messageTs ?? undefined, ...ids },
        'turn',
      );
    }
  }
}
