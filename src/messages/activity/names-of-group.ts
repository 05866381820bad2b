import { howManyFit } from '../text/limits.ts';
import { andMore, counted, forEye, inMrkdwn, joined, type Phrase, say } from '../text/phrase.ts';
import type { Group, Thing } from './grouping.ts';
import { nameInList, repeatedFrom } from './sentences.ts';

/** How many names a group shows; one more if that shows all of them. If some changed repeatedly, each has a line. */
const shownAtMost = { names: 3, lines: 30 };

/** The names of a group's items, to follow its sentence; and whether that is all of them. */
export type Names = { readonly words: Phrase | null; readonly isWhole: boolean };

/**
 * Lists the first names of several items.
 *
 * @param room in characters
 * @returns no words if there is only one item, or if no name is known
 */
export function namesOf({ things }: Group, room: number): Names {
  const named = things.flatMap((thing) => {
    const name = nameInList(thing);
    return name === null ? [] : [{ thing, name }];
  });
  if (things.length === 1 || named.length === 0) return { words: null, isWhole: true };
  if (things.some(({ repeats }) => repeats.length > 1)) return linesOf(named, room);
  const names = named.map(({ name }) => name);
  const wanted = names.length <= shownAtMost.names + 1 ? names.length : shownAtMost.names;
  const note = ' and 1,000,000 more'.length;
  const sizes = names.slice(0, wanted).map((name) => inMrkdwn(name).length + ', '.length);
  const shown = names.slice(0, howManyFit(sizes, room - note));
  const more = names.length - shown.length;
  if (more === 0) return { words: say` ${joined(shown, ', ', ' and ')}`, isWhole: true };
  const words = say` ${joined(shown, ', ')} and ${more} more`;
  return { words: shown.length === 0 ? null : words, isWhole: false };
}

/** Returns a line for each item: "A-102.pdf, 20 times, 17:35–17:36". */
function linesOf(named: readonly { readonly thing: Thing; readonly name: Phrase }[], room: number): Names {
  const lines = named.map(({ thing: { repeats }, name }) => {
    const when = repeatedFrom(repeats);
    return when === null ? name : say`${name}, ${counted(repeats.length, 'time')}, ${when}`;
  });
  const sizes = lines.slice(0, shownAtMost.lines).map((line) => inMrkdwn(line).length + 3);
  const shown = lines.slice(0, howManyFit(sizes, room - 30));
  const more = andMore(lines.length - shown.length);
  const words = [...shown, ...more].flatMap(
    (line, index): Phrase => [forEye('\n• ', index === 0 ? ' ' : '; '), ...line],
  );
  return { words, isWhole: more.length === 0 };
}
