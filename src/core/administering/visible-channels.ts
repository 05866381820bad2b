import type { Bot } from '../bot.ts';
import type { SlackPerson } from '../model/people.ts';

/**
 * Returns the channels whose subscriptions a person can see and manage from outside the channel: those they are in and, for admins, all
 * public ones. `complete` is false if Slack could not say everything; unknown channels are not visible.
 */
export async function visibleChannels(
  { slack }: Bot,
  person: SlackPerson,
): Promise<{ readonly ids: ReadonlySet<string>; readonly admin: boolean; readonly complete: boolean }> {
  const admin = await slack.isAdmin(person);
  const [memberOf, open] = await Promise.all([
    slack.channelsOf(person),
    admin ? slack.publicChannelsOf(person) : new Set<string>(),
  ]);
  return {
    ids: new Set([...(memberOf ?? []), ...(open ?? [])]),
    admin,
    complete: memberOf !== null && open !== null,
  };
}
