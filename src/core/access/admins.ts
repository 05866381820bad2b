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
