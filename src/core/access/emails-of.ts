import * as links from '../../store/tables/links.ts';
import type { Bot } from '../bot.ts';
import type { Workspace } from '../model/people.ts';

/** Returns the email addresses, in lower case, that a Slack user may have at the service: those of their link and of their profile. */
export async function emailsOf(
  { db, slack }: Pick<Bot, 'db' | 'slack'>,
  { enterpriseId, teamId }: Workspace,
  userId: string,
): Promise<readonly string[]> {
  const person = { enterpriseId, teamId, userId };
  const [link, profile] = await Promise.all([links.of(db, person), slack.recentProfileOf(person)]);
  return [link?.account, profile?.email].filter((email) => email != null).map((email) => email.toLowerCase());
}
