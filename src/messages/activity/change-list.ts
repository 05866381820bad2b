import type { KnownBlock } from '@slack/types';
import { limits } from '../text/limits.ts';
import { section } from '../text/message.ts';
import { forEye, inMrkdwn, inText, type Phrase, say } from '../text/phrase.ts';
import type { DigestRow } from './digest.ts';
import { itemLines } from './item-lines.ts';

/** How much a page holds, in characters. */
export type PageRoom = {
  readonly blocks: number;
  /** Of the plain text; unlimited in a form, which has none. */
  readonly text?: number;
};

/** A page of a list, as the paragraphs of its lines. */
export type ChangePage = readonly (readonly Phrase[])[];

type ListedLine = {
  readonly phrase: Phrase;
  readonly kind: 'heading' | 'row' | 'item';
  /** The lines above it that a new page repeats. */
  readonly under: readonly Phrase[];
};

/** As many sections as a form has room for beside everything else. */
const sectionsAPage = 80;

/**
 * Splits rows into pages on which every item is named. A page that starts within a project or a row repeats the heading or sentence; there is
 * always one page.
 * @param isSorted whether items are sorted by name, with numbers in a row as one
 */
export function listPages(
  rows: readonly DigestRow[],
  isSorted: boolean,
  room: PageRoom,
): readonly ChangePage[] {
  const pages: Phrase[][][] = [[]];
  let used = { blocks: 0, text: 0 };
  let inSection = 0;
  const add = (phrase: Phrase, startsSection: boolean): void => {
    const page = pages.at(-1) as Phrase[][];
    const size = sizeOf(phrase);
    if (page.length === 0 || startsSection || inSection + size.blocks > limits.sectionText) {
      page.push([]);
      inSection = 0;
    }
    page.at(-1)?.push(phrase);
    inSection += size.blocks;
    used = { blocks: used.blocks + size.blocks, text: used.text + size.text };
  };
  const lines = linesOf(rows, isSorted);
  for (const [index, { phrase, kind, under }] of lines.entries()) {
    const next = lines[index + 1];
    // What something follows stands on the same page as the first of it.
    const together = next && next.under.length > under.length ? [phrase, next.phrase] : [phrase];
    const needed = together.map(sizeOf);
    const fits =
      used.blocks + sumOf(needed, 'blocks') <= room.blocks &&
      used.text + sumOf(needed, 'text') <= (room.text ?? Infinity) &&
      (pages.at(-1)?.length ?? 0) < sectionsAPage;
    if (!fits && used.blocks > 0) {
      pages.push([]);
      used = { blocks: 0, text: 0 };
      for (const above of under) add(above, false);
    }
    add(phrase, kind === 'heading');
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
  let above: readonly Phrase[] = [];
  return rows.flatMap(({ heading, sentence, group }): ListedLine[] => {
    const names = group !== null && group.things.length > 1 ? itemLines(group, isSorted) : [];
    const [only, more] = names;
    const row = only && !more ? say`${sentence}: ${only}` : names.length === 0 ? sentence : say`${sentence}:`;
    if (heading) above = [heading];
    return [
      ...(heading ? [{ phrase: heading, kind: 'heading', under: [] } as const] : []),
      { phrase: row, kind: 'row', under: above },
      ...(more ? names : []).map(
        (name) =>
          ({ phrase: say`${forEye('• ', '')}${name}`, kind: 'item', under: [...above, row] }) as const,
      ),
    ];
  });
}

type Size = { readonly blocks: number; readonly text: number };

function sizeOf(phrase: Phrase): Size {
  return { blocks: inMrkdwn(phrase).length + 1, text: inText(phrase).length + 2 };
}

function sumOf(sizes: readonly Size[], key: keyof Size): number {
  return sizes.reduce((sum, size) => sum + size[key], 0);
}
