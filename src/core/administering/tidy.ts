import { dayMs, earlier, hourMs } from '../../lib/durations.ts';
import { eachStep } from '../../lib/each-step.ts';
import * as removeData from '../../store/remove-data.ts';
import * as commandTries from '../../store/tables/command-tries.ts';
import * as exclusions from '../../store/tables/exclusions.ts';
import { sweepExpired } from '../../store/tables/keyv-records.ts';
import * as requests from '../../store/tables/requests.ts';
import * as seenRequests from '../../store/tables/seen-requests.ts';
import * as settings from '../../store/tables/settings.ts';
import type { Bot } from '../bot.ts';
import { tidyEvents } from '../delivering/tidy-events.ts';

/** Removes what is stored no longer than needed. */
export function tidy(bot: Bot): Promise<void> {
  const { db, clock, log } = bot;
  const ago = (milliseconds: number) => earlier(clock.now(), milliseconds);
  return eachStep(
    {
      'forget requests': () => seenRequests.forget(db, ago(dayMs)),
      'forget tries': () => commandTries.forget(db, ago(hourMs)),
      'sweep records': () => sweepExpired(db, clock.now()),
      'tidy events': () => tidyEvents(bot),
      'remove ended mutes': () => exclusions.removeEnded(db, ago(dayMs)),
      'remove requests': () => requests.removeOld(db, ago(30 * dayMs), ago(dayMs)),
      'forget details early': () => forgetEarly(bot),
    },
    { log },
  );
}

/** A workspace can have names, paths and email addresses removed earlier than the default. */
async function forgetEarly({ db, clock }: Bot): Promise<void> {
  for (const { teamId, detailsDays } of await settings.forgettingEarly(db)) {
    await removeData.ofWorkspaceBefore(db, { teamId }, earlier(clock.now(), detailsDays * dayMs));
  }
}
