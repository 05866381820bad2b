import { dayMs, earlier, later } from '../../lib/durations.ts';
import type { ClaimedCheck } from '../../store/tables/links.ts';
import * as links from '../../store/tables/links.ts';
import type { Bot } from '../bot.ts';
import { settleEverything } from '../settling/settle.ts';
import { type Checked, checkClaimed, checkingMs } from './check-link.ts';
import { removeLink } from './remove-link.ts';

/** Links that one process checks at the same time, and at most in a second. */
const atOnce = 8;
const betweenMs = 1_000;
const keepFrozenMs = 30 * dayMs;

/**
 * Checks the links that are due, the longest overdue first, until none is, the bot stops or the service does not answer. Runs every minute in
 * each worker process: each claims the links that it checks, so that a few processes check a million of them in a day.
 */
export async function checkLinks(bot: Bot): Promise<void> {
  const { db, clock, later: work, log } = bot;
  for (;;) {
    if (work.isStopping()) return;
    const now = clock.now();
    const claimed = await links.claimDue(db, atOnce, { now, until: later(now, checkingMs) });
    if (claimed.length === 0) return;
    const checked = await Promise.all(claimed.map((one) => checkOne(bot, one)));
    if (checked.every((each) => each === 'away'))
      return log.warn({}, 'the service is unavailable: check ended');
    if (claimed.length < atOnce) return;
    await bot.inProcess.sleep(betweenMs);
  }
}

async function checkOne(bot: Bot, claimed: ClaimedCheck): Promise<Checked> {
  try {
    return await checkClaimed(bot, claimed);
  } catch (error) {
    bot.log.warn({ err: error, link: claimed.id }, 'could not check a link');
    return 'deferred';
  }
}

/** Settles what needs a link that its owner does not have, and removes links that were frozen for long. Runs every hour. */
export async function tidyLinks(bot: Bot): Promise<void> {
  await settleEverything(bot);
  for (const link of await links.frozenBefore(bot.db, earlier(bot.clock.now(), keepFrozenMs)))
    await removeLink(bot, link);
}
