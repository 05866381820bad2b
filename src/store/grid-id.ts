import type { Workspace } from '../core/model/people.ts';

/** The organisation where there is one, else the workspace: where Slack's user ids are unique, and so the first half of a link's key. */
export function gridId({ enterpriseId, teamId }: Workspace): string {
  return enterpriseId ?? teamId;
}
