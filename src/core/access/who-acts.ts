import type { Who } from '../../messages/text/copy.ts';
import { isDirect, type ProfileOf } from '../model/people.ts';
import type { CommandContext } from './command-context.ts';

/**
 * Returns how an announcement names the person who acted: by name in a channel, as "You" in their own direct message with the bot.
 * `owner`: user id of the subscription's owner, because an admin can pause what is posted in another person's direct message.
 */
export async function whoActs(
  { person, channelId }: Pick<CommandContext, 'person' | 'channelId'>,
  profileOf: ProfileOf,
  owner: string = person.userId,
): Promise<Who> {
  const { name } = await profileOf(person);
  return { userId: person.userId, name, isReader: isDirect(channelId) && owner === person.userId };
}
