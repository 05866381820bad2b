import { isDeepStrictEqual } from 'node:util';
import { exportedFile, nothingToExport } from '../../messages/admin/export.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { CommandContext } from '../access/command-context.ts';
import { isDiscreet, namesIn } from '../access/shown-names.ts';
import { someone } from '../model/change.ts';
import { shortPattern } from '../model/short-pattern.ts';
import type { PersonName } from '../model/subscription.ts';
import type { AdministeringRoomDeps } from './administering-deps.ts';
import { visibleChannels } from './visible-channels.ts';
import { writeFile } from './write-file.ts';

/** `/plancast export`: shows the subscriptions the person is allowed to see, as text that `import` accepts. */
type ExportFile = (context: CommandContext) => Promise<void>;

/** One block for each field of the import form, each as long as a field accepts: at most 12,000 characters in all. */
const mostParts = 4;
const longestPart = 2_950;

export function makeExportFile(deps: AdministeringRoomDeps): ExportFile {
  return async (context) => {
    const { person } = context;
    const [{ ids, complete }, own] = await Promise.all([
      visibleChannels(deps.bot, person),
      deps.directMessages.of(person),
    ]);
    const channelIds = [...ids, ...(own === null ? [] : [own])];
    const stored = await deps.workspaceSubscriptions.exportable(person, channelIds);
    if (stored.length === 0) return context.reply(nothingToExport({ complete }));
    const rows = await Promise.all(stored.map(asShown));
    const isShort = rows.some((row, index) => row !== stored[index]);
    const { parts, count } = asManyAsFit(rows, (some) => writeFile(person, some));
    await context.reply(exportedFile({ parts, count, of: rows.length, complete, isShort }));
  };

  /** Returns the subscription with the filters that its channel shows. Import refuses paths and people that are not written out. */
  async function asShown(row: Subscription): Promise<Subscription> {
    if (!(await isDiscreet(deps.bot, row))) return row;
    const names = await namesIn(deps.bot, row, row.filters);
    const { only, paths, by, notBy } = row.filters;
    const shown = (who: PersonName) =>
      'email' in who && names.get(who.email) === someone ? { email: someone } : who;
    const filters = { only, paths: paths.map(shortPattern), by: by.map(shown), notBy: notBy.map(shown) };
    return isDeepStrictEqual(filters, row.filters) ? row : { ...row, filters };
  }
}

/** Returns as many rows as fit into the parts, in order. Skips rows with a line that is too long for a part. */
function asManyAsFit(
  rows: readonly Subscription[],
  write: (rows: readonly Subscription[]) => string,
): { readonly parts: readonly string[]; readonly count: number } {
  const fits = rows.filter((row) =>
    write([row])
      .split('\n')
      .every((line) => line.length < longestPart),
  );
  let [low, high] = [0, fits.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (inParts(write(fits.slice(0, middle))).length <= mostParts) low = middle;
    else high = middle - 1;
  }
  return { parts: inParts(write(fits.slice(0, low))), count: low };
}

/** Splits text between lines into parts of at most `longestPart` characters. */
function inParts(text: string): string[] {
  const parts: string[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= longestPart)
      parts[parts.length - 1] = `${last}\n${line}`;
    else parts.push(line);
  }
  return parts;
}
