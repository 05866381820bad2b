import type { Channel } from '../model/people.ts';
import type { Asked } from './command-context.ts';

/** The conversation that something was asked for. */
export function channelOf({ person, channelId }: Pick<Asked, 'person' | 'channelId'>): Channel {
  return { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
}
