import type { DebugLog, Log } from '../lib/log.ts';
import type { Bot } from './bot.ts';

/**
 * Runs work in one transaction: everything it stores with the bot it is handed is stored, or nothing is. It must ask neither Slack nor the
 * service, which would keep a connection and locks waiting. What it logs at `info` was done only once the transaction is committed, so
 * these lines follow then.
 */
export async function inTransaction<B extends Pick<Bot, 'db' | 'log'>, Result>(
  bot: B,
  work: (bot: B) => Promise<Result>,
): Promise<Result> {
  const { info, release } = holdLines(bot.log);
  const log: DebugLog = {
    info,
    debug: (...line) => bot.log.debug(...line),
    isLevelEnabled: (level) => bot.log.isLevelEnabled(level),
    warn: (...line) => bot.log.warn(...line),
    error: (...line) => bot.log.error(...line),
  };
  const result = await bot.db.transaction().execute((db) => work({ ...bot, db, log }));
  release();
  return result;
}

/** Returns a log that keeps its lines until `release`. */
function holdLines(log: Pick<Log, 'info'>): Pick<Log, 'info'> & { readonly release: () => void } {
  const lines: Parameters<Log['info']>[] = [];
  return {
    info: (...line) => void lines.push(line),
    release: () => {
      for (const line of lines.splice(0)) log.info(...line);
    },
  };
}
