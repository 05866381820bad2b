import { howManyFit } from '../text/limits.ts';
import { inMrkdwn, joined, type Phrase, say } from '../text/phrase.ts';
import type { Group } from './grouping.ts';
import { nameInList } from './sentences.ts';

/** How many names a group shows; one more if that shows all of them. */
const namesShown = 3;

/**
 * Lists the first names of several items, and says whether that is all of them.
 *
 * @param room in characters
 * @returns no words if there is only one item, or if no name is known
 */
export function namesOf(
  group: Group,
  room: number,
): { readonly words: Phrase | null; readonly isWhole: boolean } {
  const names = group.things.map(nameInList).filter((name) => name !== null);
  if (group.things.length === 1 || names.length === 0) return { words: null, isWhole: true };
  const wanted = names.length <= namesShown + 1 ? names.length : namesShown;
  const note = ' and 1,000,000 more'.length;
  const sizes = names.slice(0, wanted).map((name) => inMrkdwn(name).length + ', '.length);
  const shown = names.slice(0, howManyFit(sizes, room - note));
  const more = names.length - shown.length;
  if (more === 0) return { words: joined(shown, ', ', ' and '), isWhole: true };
  const words = say`${joined(shown, ', ')} and ${more} more`;
  return { words: shown.length === 0 ? null : words, isWhole: false };
}
