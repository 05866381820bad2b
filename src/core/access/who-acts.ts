import type { Who } from '../../messages/text/copy.ts';
import { isDirect, type ProfileOf } from '../model/people.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Who does something, as announced where it is done: by name in a channel, as "You" in their own direct message with the bot. `owner`: the
 * id of the user whose subscription it is done to, since an admin may pause what is posted in another person's direct message.
 */
export async function whoActs(
  { person, channelId }: Pick<CommandContext, 'person' | 'channelId'>,
  profileOf: ProfileOf,
  owner: string = person.userId,
): Promise<Who> {
  const { name } = await profileOf(person);
  return { userId: person.userId, name, isReader: isDirect(channelId) && owner === person.userId };
}
