import { followUpInterrupted } from '../core/acts/follow-up-links.ts';
import { finishClaimed } from '../core/acts/invited.ts';
import { tidy, tidyItems } from '../core/administering/tidy.ts';
import type { Bot } from '../core/bot.ts';
import { resumeRestricted, resumeWorkspaces } from '../core/channels/channel-facts.ts';
import { checkSharedRound } from '../core/channels/shared-channel.ts';
import { postDigests } from '../core/delivering/deliver.ts';
import { cleanAttempts } from '../core/linking/tickets.ts';
import { undoMinutes } from '../core/model/undo.ts';
import { settleAll } from '../core/settling/settle.ts';
import { askAboutVolume } from '../core/subscribing/too-much.ts';
import { checkLinks } from '../core/upstream/check-link.ts';
import { findLostUninstalls, resumeDepartures } from '../core/upstream/departures.ts';
import { syncRound } from '../core/upstream/sync-round.ts';
import { finishUnlinks, tidyLinks } from '../core/upstream/unlink.ts';
import type { Chore } from '../jobs/chores.ts';
import { earlier, minuteMs } from '../lib/durations.ts';
import { eachStep } from '../lib/for-each-row.ts';
import * as subscriptions from '../store/tables/subscriptions.ts';

/** Returns the scheduled chores. */
export function composeChores(bot: Bot): Chore[] {
  const { db, clock, log } = bot;
  return [
    // These must not wait for others: tokens are deleted within 5 minutes.
    { name: 'departures', everyMs: minuteMs, run: () => resumeDepartures(bot), long: true },
    { name: 'unlinkings', everyMs: minuteMs, run: () => finishUnlinks(bot), long: true },
    { name: 'find-lost-uninstalls', cron: '7 * * * *', run: () => findLostUninstalls(bot), long: true },
    { name: 'sweep', cron: '* * * * *', run: sweep },
    { name: 'tidy', cron: '17 * * * *', run: () => tidy(bot) },
    { name: 'tidy-items', cron: '47 2 * * *', run: () => tidyItems(bot) },
    { name: 'resume-workspaces', cron: '*/10 * * * *', run: () => resumeWorkspaces(bot) },
    { name: 'resume-restricted', cron: '53 * * * *', run: () => resumeRestricted(bot) },
    { name: 'ask-about-volume', cron: '*/15 * * * *', run: () => askAboutVolume(bot) },
    { name: 'check-links', everyMs: minuteMs, run: () => checkLinks(bot) },
    { name: 'tidy-links', cron: '29 * * * *', run: () => tidyLinks(bot) },
  ];

  /** Ends what has expired, finishes what was interrupted, and checks what Slack may not have reported. */
  function sweep(): Promise<void> {
    return eachStep(log, {
      'clean attempts': () => cleanAttempts(bot),
      'follow up links': () => followUpInterrupted(bot),
      'finish claimed requests': () => finishClaimed(bot),
      'forget old settings': () => subscriptions.forgetUndo(db, earlier(clock.now(), undoMinutes * minuteMs)),
      'post digests': () => postDigests(bot),
      'sync remote subscriptions': () => syncRound(bot),
      'check shared channels': () => checkSharedRound(bot),
      settle: () => settleAll(bot),
    });
  }
}
