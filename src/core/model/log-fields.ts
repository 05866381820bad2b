import { type Channel, ownerOf, type SlackPerson } from './people.ts';

/** A subscription as far as a log line needs it. */
type LoggedSubscription = Parameters<typeof ownerOf>[0] & Channel & { readonly id: string };

/** Returns the log fields of a subscription: its id, workspace and channel; the person is its owner. */
export function subscriptionFields(row: LoggedSubscription) {
  return { ...personFields(ownerOf(row)), channel: row.channelId, subscription: row.id };
}

/** Returns the log fields of a Slack user. */
export function personFields({ enterpriseId, teamId, userId }: SlackPerson) {
  return { enterprise: enterpriseId ?? undefined, team: teamId, person: userId };
}
