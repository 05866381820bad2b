import { sql } from 'kysely';
import type { Channel, Workspace } from '../core/model/people.ts';

/** Returns a condition for the rows of one channel, in a statement about a single table. */
export function inChannel({ teamId, channelId }: Pick<Channel, 'teamId' | 'channelId'>) {
  return sql<boolean>`team_id = ${teamId} and channel_id = ${channelId}`;
}

/** Returns a condition for the rows of a workspace and of the others of its organization, in a statement about a single table. */
export function inOrganization({ enterpriseId, teamId }: Workspace) {
  // Rows that were stored before the workspace joined an organization do not name it.
  return sql<boolean>`(team_id = ${teamId} or enterprise_id = ${enterpriseId})`;
}
