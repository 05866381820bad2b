import type { Channel } from '../model/people.ts';
import type { CommandContext } from './command-context.ts';

/** Returns the conversation that a request is for. */
export function channelOf({ person, channelId }: Pick<CommandContext, 'person' | 'channelId'>): Channel {
  return { enterpriseId: person.enterpriseId, teamId: person.teamId, channelId };
}
