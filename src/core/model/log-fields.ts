import type { LogFields } from '../../lib/log.ts';
import type { Channel, SlackPerson } from './people.ts';

/** A subscription as far as a log line needs it. */
export type LoggedSubscription = Channel & { readonly id: string; readonly ownerUserId: string };

/** Returns the log fields of a subscription: its id, workspace and channel; the person is its owner. */
export function subscriptionFields(row: LoggedSubscription): LogFields {
  return { ...channelFields(row), person: row.ownerUserId, subscription: row.id };
}

/** Returns the log fields of a channel. */
export function channelFields({ enterpriseId, teamId, channelId }: Channel): LogFields {
  return { enterprise: enterpriseId ?? undefined, team: teamId, channel: channelId };
}

/** Returns the log fields of what a Slack user asked for. `channelId`: empty if in no channel. */
export function contextFields({ person, channelId }: { person: SlackPerson; channelId: string }): LogFields {
  return { ...personFields(person), channel: channelId || undefined };
}

/** Returns the log fields of a Slack user. */
export function personFields({ enterpriseId, teamId, userId }: SlackPerson): LogFields {
  return { enterprise: enterpriseId ?? undefined, team: teamId, person: userId };
}

/** What an action was about. `changes`: the title of each setting that it changed, with its words before and after. */
export type AuditDetail = {
  readonly changes?: readonly { readonly title: string; readonly before: string; readonly after: string }[];
  readonly events?: string;
};
