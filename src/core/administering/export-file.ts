import { exportedFile, nothingToExport } from '../../messages/admin/export.ts';
import type { DirectMessages } from '../../store/tables/direct-messages.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { WorkspaceSubscriptions } from '../../store/workspace-subscriptions.ts';
import type { CommandContext } from '../access/command-context.ts';
import type { VisibleChannels } from './visible-channels.ts';

export type ExportFileDeps = {
  readonly workspaceSubscriptions: Pick<WorkspaceSubscriptions, 'exportable'>;
  readonly directMessages: Pick<DirectMessages, 'of'>;
  readonly visibleChannels: VisibleChannels;
};

/** `/plancast export`: what the person may see, as the text that `import` takes. */
export type ExportFile = (context: CommandContext) => Promise<void>;

/** As many blocks as the form has fields, and as long as one of its fields takes. Together they are at most 12,000 characters. */
const mostParts = 4;
const longestPart = 2_950;

export function makeExportFile(deps: ExportFileDeps): ExportFile {
  return async (context) => {
    const { person } = context;
    const [{ ids, complete }, own] = await Promise.all([
      deps.visibleChannels(person),
      deps.directMessages.of(person),
    ]);
    const channelIds = [...ids, ...(own === null ? [] : [own])];
    const rows = await deps.workspaceSubscriptions.exportable(person, channelIds);
    if (rows.length === 0) return context.reply(nothingToExport({ complete }));
    // What reads and writes YAML is large, and few ever ask for it.
    const { writeFile } = await import('./write-file.ts');
    const { parts, count } = asManyAsFit(rows, (some) => writeFile(person, some));
    await context.reply(exportedFile({ parts, count, of: rows.length, complete }));
  };
}

/** The most rows from the front whose text fits into the parts. */
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

/** Cuts a text between lines. */
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
