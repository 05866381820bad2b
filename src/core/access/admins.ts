import type { SlackPerson, Workspace } from '../model/people.ts';

/** A person who administers a workspace in Slack. */
export type Admin = { readonly userId: string; readonly name: string };

/**
 * Whether a person is an admin or owner of their workspace, as Slack said a few seconds ago at most: an admin who is demoted loses their
 * powers at once. Throws where Slack cannot be asked.
 */
export type IsAdmin = (person: SlackPerson) => Promise<boolean>;

/** Admins of a workspace, no more than can be asked at once; none if Slack does not say. */
export type AdminsOf = (workspace: Workspace) => Promise<readonly Admin[]>;
