import type { Asked } from './asked.ts';
import type { Channel } from './people.ts';

/** The conversation that something was asked for. */
export function channelOf({ person, channelId }: Pick<Asked, 'person' | 'channelId'>): Channel {
  return { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
}
