import type { Workspace } from '../model/people.ts';

/** A person who administers a workspace in Slack. */
export type Admin = { readonly userId: string; readonly name: string };

/** Admins of a workspace, no more than can be asked at once; none if Slack does not say. */
export type AdminsOf = (workspace: Workspace) => Promise<readonly Admin[]>;
