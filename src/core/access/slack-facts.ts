import type { SlackPerson, Workspace } from '../model/people.ts';

/** A person who administers a workspace in Slack. */
export type Admin = { readonly userId: string; readonly name: string };

/**
 * Returns whether a person is an admin or owner of their workspace. Slack's answer is cached for a few seconds at most, so an admin who
 * is demoted loses the rights at once. Throws if Slack cannot be asked.
 */
export type IsAdmin = (person: SlackPerson) => Promise<boolean>;

/** Returns admins of a workspace, no more than can be asked at once; none if Slack does not say. */
export type AdminsOf = (workspace: Workspace) => Promise<readonly Admin[]>;

/** Returns the ids of a person's channels, as far as the bot can see them. Null if Slack could not be asked. Never throws. */
export type ChannelsOf = (person: SlackPerson) => Promise<ReadonlySet<string> | null>;

/** Returns the ids of a workspace's public channels. Null if Slack could not be asked. Never throws. */
export type PublicChannelsOf = (workspace: Workspace) => Promise<ReadonlySet<string> | null>;

/** Whether a person is in a conversation. `unknown`: Slack could not be asked, or did not say. */
export type InChannel = 'yes' | 'no' | 'unknown';

/** Asks Slack whether a person is in a conversation; a yes is cached for a few seconds. Never throws. */
export type IsInChannel = (person: SlackPerson, channelId: string) => Promise<InChannel>;

/** Thrown if Slack does not say who a person is. Nobody's rights can be decided without that, but another try may succeed. */
export class PersonUnknown extends Error {
  override readonly name = 'PersonUnknown';
}
