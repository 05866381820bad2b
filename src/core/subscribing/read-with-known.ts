import type { CommandContext } from '../access/command-context.ts';
import type { Bot } from '../bot.ts';
import type { Parsed } from '../model/mistake.ts';
import { knownPlaces, recentlySeen } from './known-folders.ts';

/** What the person who typed a line may know of, as far as the line is about it. */
type Known = { readonly places?: ReadonlySet<string> };

/**
 * Reads a line, and once more with the names that its person may know of, if that can say more: where a folder was typed without quotes.
 *
 * @param read reads the line with these names
 */
export async function readWithKnown(
  bot: Bot,
  { person, channelId, madeInChannel }: CommandContext,
  read: (known: Known) => Parsed,
): Promise<Parsed> {
  const parsed = read({});
  const { understood = null, faults = [] } = parsed.ok ? {} : parsed.mistake;
  if (understood?.act !== 'subscribe') return parsed;
  const { target, filters } = understood;
  const projectId = 'projectId' in target ? target.projectId : target.kind === 'unknown' ? target.id : null;
  const isAboutPlaces = filters.paths !== undefined || faults.some(({ option }) => option === 'in');
  if (projectId === null || !isAboutPlaces) return parsed;
  const seen = await recentlySeen(bot, person, projectId, madeInChannel ? channelId : null);
  return read({ places: knownPlaces(seen) });
}
