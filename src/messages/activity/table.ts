import type { DataTableBlock } from '@slack/types';
import type { Change } from '../../core/model/change.ts';
import { howManyFit, limits } from '../text/limits.ts';
import { capital, inPlain, type Phrase, place, plainly, say } from '../text/phrase.ts';
import { actorOf, anotherFolder, deeds } from './deeds.ts';
import { changesIn, type Group, hasMoved, wasRenamed } from './grouping.ts';
import { withinOf } from './sentences.ts';

type Cell = { readonly type: 'raw_text'; readonly text: string };

const headings = ['Name', 'Change', 'Folder', 'By'] as const;
/** Long enough to recognize a name; the full list shows all of it. */
const cellMost = 120;
/** Rows per page, few enough to read at a glance. */
const pageSize = 10;

/**
 * Renders a digest's changes as a sortable table, one row per item, as many as fit.
 *
 * @param options `signed`: whether the verb has its sign. `places`: whether to name the project or session of each. `room`: in characters.
 *   `areOthers`: whether other changes are listed above it.
 * @returns the block, how many changes its rows cover, and whether it shows all of them in full
 */
export function tableOf(
  groups: readonly Group[],
  options: {
    readonly signed: boolean;
    readonly places: boolean;
    readonly room: number;
    readonly areOthers: boolean;
  },
): { readonly block: DataTableBlock; readonly shown: number; readonly isWhole: boolean } {
  const { signed, places, room, areOthers } = options;
  const rows = groups.flatMap((group) => group.things.map((change) => textsOf(change, { signed, places })));
  const cells = rows.map((row) => row.map(cell));
  const sizes = cells.map((row) => row.reduce((sum, { text }) => sum + text.length, 0));
  const taken = Math.min(limits.tableRows, Math.max(1, howManyFit(sizes, room)));
  const header = [...headings, ...(places ? ['In'] : [])].map(cell);
  const block: DataTableBlock = {
    type: 'data_table',
    // The title above says what it is about and since when, in the reader's time zone, which a caption cannot.
    caption: areOthers ? 'Other changes by folder' : 'Changes by folder',
    page_size: pageSize,
    rows: [header, ...cells.slice(0, taken)],
  };
  const hasAll = taken === rows.length;
  const isWhole = hasAll && rows.flat().every((text) => text.length <= cellMost);
  return { block, shown: hasAll ? changesIn(groups) : taken, isWhole };
}

function textsOf(change: Change, { signed, places }: { signed: boolean; places: boolean }): string[] {
  const { sign, word } = deeds[change.verb];
  return [
    changedTo(change.previousName, change.name, wasRenamed(change), (name) => [plainly(name)]),
    signed ? `${sign} ${word}` : word,
    placeIn(change),
    inPlain([plainly(actorOf(change))]),
    ...(places ? [inPlain(withinOf(change) ?? [])] : []),
  ];
}

function changedTo<T>(
  before: T | null,
  now: T | null,
  changed: boolean,
  write: (value: T) => Phrase,
): string {
  if (now === null) return '';
  return changed && before !== null
    ? `${inPlain(write(before))} → ${inPlain(write(now))}`
    : inPlain(write(now));
}

function placeIn(change: Change): string {
  const { folder, previousFolder } = change;
  if (folder !== null && previousFolder === null && hasMoved(change)) {
    return inPlain(capital(say`${anotherFolder} → ${folderPhrase(folder)}`));
  }
  return changedTo(previousFolder, folder, hasMoved(change), folderPhrase);
}

function folderPhrase(folder: readonly string[]): Phrase {
  return folder.length === 0 ? say`Top level` : [place(folder)];
}

/** Makes a cell. Slack refuses an empty one. */
function cell(text: string): Cell {
  const shown = text.length > cellMost ? `${text.slice(0, cellMost - 1).toWellFormed()}…` : text;
  return { type: 'raw_text', text: shown.trim() === '' ? '–' : shown };
}
