import type { Workspace } from '../model/people.ts';

/** Somebody who administers a workspace in Slack. */
export type Admin = { readonly userId: string; readonly name: string };

/** Admins of a workspace, no more than can be asked at once; nobody where Slack does not tell. */
export type AdminsOf = (workspace: Workspace) => Promise<readonly Admin[]>;
