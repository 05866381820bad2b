import { howManyFit } from '../text/limits.ts';
import { andMore, counted, forEye, inMrkdwn, item, joined, type Phrase, say } from '../text/phrase.ts';
import { isShown } from './deeds.ts';
import { type Group, type Thing, wasRenamed } from './grouping.ts';
import { nameInList, repeatedFrom } from './sentences.ts';

/** Compares names as people sort them: in any letter case, and "Sheet 9" before "Sheet 10". */
export const { compare: naturalOrder } = new Intl.Collator('en', { numeric: true });

/** How many names a group shows; one more if that shows all of them. If some changed repeatedly, each has a line. */
const shownAtMost = { names: 3, lines: 30 };

/** Lists the first names of several items in so many characters, to follow their group's sentence; null for one item, or if no name is known. */
export function namesOf({ things }: Group, room: number): Phrase | null {
  const named = things.filter(({ name }) => isShown(name));
  if (things.length === 1 || named.length === 0) return null;
  if (things.some(({ repeats }) => repeats.length > 1)) return linesOf(named, room);
  const names = named.map(nameInList);
  const wanted = names.length <= shownAtMost.names + 1 ? names.length : shownAtMost.names;
  const note = ' and 1,000,000 more'.length;
  const sizes = names.slice(0, wanted).map((name) => inMrkdwn(name).length + ', '.length);
  const shown = names.slice(0, howManyFit(sizes, room - note));
  const more = names.length - shown.length;
  if (more === 0) return say` ${joined(shown, ', ', ' and ')}`;
  return shown.length === 0 ? null : say` ${joined(shown, ', ')} and ${more} more`;
}

function linesOf(named: readonly Thing[], room: number): Phrase {
  const lines = named.map(lineOf);
  const sizes = lines.slice(0, shownAtMost.lines).map((line) => inMrkdwn(line).length + 3);
  const shown = lines.slice(0, howManyFit(sizes, room - 30));
  const more = andMore(lines.length - shown.length);
  return [...shown, ...more].flatMap(
    (line, index): Phrase => [forEye('\n• ', index === 0 ? ' ' : '; '), ...line],
  );
}

/** Fewer names with numbers in a row are listed one by one. */
const leastInRange = 3;
/** Reading the number of a name takes time in proportion to the square of its length. */
const longestNumbered = 200;

/** A name with a number, "Photo 9.jpg": the last number before its extension. */
type Numbered = {
  readonly before: string;
  readonly digits: string;
  readonly after: string;
};

/**
 * Returns a line for each item of a group: its name, and how often and when it changed, if repeatedly. In a sorted list, those whose names only
 * count up are one line, "Photo 9–2000.jpg". Items without a known name have none.
 */
export function itemLines({ things }: Pick<Group, 'things'>, isSorted: boolean): readonly Phrase[] {
  const named = things.filter(({ name }) => isShown(name));
  if (!isSorted) return named.map(lineOf);
  const sorted = named.toSorted((a, b) => naturalOrder(a.name ?? '', b.name ?? ''));
  return runsOf(sorted).flatMap((run) => (run.length < leastInRange ? run.map(lineOf) : [rangeOf(run)]));
}

/** Returns "A-102.pdf, 20 times, 17:35–17:36". */
function lineOf(thing: Thing): Phrase {
  const name = nameInList(thing);
  const when = repeatedFrom(thing.repeats);
  return when === null ? name : say`${name}, ${counted(thing.repeats.length, 'time')}, ${when}`;
}

function runsOf(sorted: readonly Thing[]): readonly (readonly Thing[])[] {
  const runs: Thing[][] = [];
  let last: Numbered | null = null;
  for (const thing of sorted) {
    const numbered = numberedOf(thing);
    if (last && numbered && isNext(last, numbered)) runs.at(-1)?.push(thing);
    else runs.push([thing]);
    last = numbered;
  }
  return runs;
}

/** Returns null for a name without a number, and for an item of which more is to be said than its name. */
function numberedOf(thing: Thing): Numbered | null {
  const { name, repeats } = thing;
  if (name === null || name.length > longestNumbered || wasRenamed(thing) || repeats.length > 1) return null;
  const [, before = '', digits, after = ''] = /^(.*?)(\d{1,15})(\D*(?:\.[^.\s]{1,5})?)$/su.exec(name) ?? [];
  return digits === undefined ? null : { before, digits, after };
}

function isNext(one: Numbered, other: Numbered): boolean {
  const isPadded = [one, other].some(({ digits }) => digits.startsWith('0'));
  return (
    one.before === other.before &&
    one.after === other.after &&
    Number(one.digits) + 1 === Number(other.digits) &&
    (!isPadded || one.digits.length === other.digits.length)
  );
}

function rangeOf(run: readonly Thing[]): Phrase {
  const [first, last] = [run[0], run.at(-1)].map((thing) => (thing ? numberedOf(thing) : null));
  if (!first || !last) return [];
  return [item(`${first.before}${first.digits}–${last.digits}${last.after}`)];
}
