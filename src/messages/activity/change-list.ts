import type { KnownBlock } from '@slack/types';
import { limits } from '../text/limits.ts';
import { section } from '../text/message.ts';
import { forEye, inMrkdwn, inText, type Phrase, say } from '../text/phrase.ts';
import type { DigestRow } from './digest.ts';
import { itemLines } from './item-lines.ts';

/** How much a page holds, in characters. */
type PageRoom = {
  readonly blocks: number;
  /** Of the plain text; unlimited in a form, which has none. */
  readonly text?: number;
};

/** A page of a list, as the paragraphs of its lines. */
type ChangePage = readonly (readonly Phrase[])[];

/** A line with its size in characters. `under`: the lines above it that a new page repeats. */
type ListedLine = {
  readonly phrase: Phrase;
  readonly isHeading: boolean;
  readonly under: readonly ListedLine[];
  readonly size: Required<PageRoom>;
};

/** As many sections as a form has room for beside everything else. */
const sectionsAPage = 80;

/** Splits rows into pages on which every item is named. A page that starts within a project or row repeats its heading. `isSorted`: by name. */
export function listPages(
  rows: readonly DigestRow[],
  isSorted: boolean,
  room: PageRoom,
): readonly ChangePage[] {
  const pages: Phrase[][][] = [[]];
  let used = { blocks: 0, text: 0 };
  let inSection = 0;
  const add = ({ phrase, isHeading, size }: ListedLine): void => {
    const page = pages.at(-1) as Phrase[][];
    if (page.length === 0 || isHeading || inSection + size.blocks > limits.sectionText) {
      page.push([]);
      inSection = 0;
    }
    page.at(-1)?.push(phrase);
    inSection += size.blocks;
    used = { blocks: used.blocks + size.blocks, text: used.text + size.text };
  };
  const lines = linesOf(rows, isSorted);
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    // What something follows stands on the same page as the first of it.
    const more = next && next.under.length > line.under.length ? next.size : { blocks: 0, text: 0 };
    const fits =
      used.blocks + line.size.blocks + more.blocks <= room.blocks &&
      used.text + line.size.text + more.text <= (room.text ?? Infinity) &&
      (pages.at(-1)?.length ?? 0) < sectionsAPage;
    if (!fits && used.blocks > 0) {
      pages.push([]);
      used = { blocks: 0, text: 0 };
      line.under.forEach(add);
    }
    add(line);
  }
  return pages;
}

/** Returns the blocks of a page. `expand`: Slack would hide most of a long paragraph behind "See more". */
export function listBlocks(page: ChangePage): KnownBlock[] {
  return page.map((lines) => ({ ...section(lines), expand: true }));
}

/** Returns what a screen reader gets of a page. */
export function listText(page: ChangePage): string {
  return page
    .flat()
    .map((line) => inText(line).replace(/(?<!:)$/, '.'))
    .join(' ');
}

function linesOf(rows: readonly DigestRow[], isSorted: boolean): ListedLine[] {
  let above: readonly ListedLine[] = [];
  return rows.flatMap(({ heading, sentence, group }): ListedLine[] => {
    const names = group !== null && group.things.length > 1 ? itemLines(group, isSorted) : [];
    const [only, more] = names;
    const words =
      only && !more ? say`${sentence}: ${only}` : names.length === 0 ? sentence : say`${sentence}:`;
    const head = heading ? [listed(heading, [], true)] : [];
    if (heading) above = head;
    const row = listed(words, above);
    const items = more ? names.map((name) => listed(say`${forEye('• ', '')}${name}`, [...above, row])) : [];
    return [...head, row, ...items];
  });
}

function listed(phrase: Phrase, under: readonly ListedLine[], isHeading = false): ListedLine {
  const size = { blocks: inMrkdwn(phrase).length + 1, text: inText(phrase).length + 2 };
  return { phrase, isHeading, under, size };
}
