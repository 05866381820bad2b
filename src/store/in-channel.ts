import { sql } from 'kysely';
import type { Channel } from '../core/model/people.ts';

/** Returns a condition for the rows of one channel, in a statement about a single table. */
export function inChannel({ teamId, channelId }: Pick<Channel, 'teamId' | 'channelId'>) {
  return sql<boolean>`team_id = ${teamId} and channel_id = ${channelId}`;
}
