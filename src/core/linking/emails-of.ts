import { minuteMs } from '../../lib/durations.ts';
import { makeRemember } from '../../lib/remember.ts';
import * as links from '../../store/tables/links.ts';
import type { Bot } from '../bot.ts';
import type { EmailsOf, Profile } from '../model/people.ts';

/** How long a person whose profile Slack failed to return is known by their link alone: each failing call costs a channel's turn 10 s. */
const remembered = { forMs: minuteMs, most: 1_000 };

/** Finds the addresses of a person: of the link from the database, of the profile from Slack at most once a minute. */
export function makeEmailsOf({ db, clock, slack }: Pick<Bot, 'db' | 'clock' | 'slack'>): EmailsOf {
  const recentProfile = makeRemember<Profile | null>({ ...remembered, now: () => clock.now().getTime() });
  return async ({ enterpriseId, teamId }, userId) => {
    const person = { enterpriseId, teamId, userId };
    const [link, profile] = await Promise.all([
      links.of(db, person),
      recentProfile(`${teamId}/${userId}`, () => slack.profileOf(person).catch(() => null)),
    ]);
    return [link?.account, profile?.email]
      .filter((email) => email != null)
      .map((email) => email.toLowerCase());
  };
}
