import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pairs } from './pairs.ts';

type Column = {
  readonly head: string;
  /** Folder of its pictures in the gallery. */
  readonly folder: string;
  readonly of: 'before' | 'now';
};

const origin = `The first release's messages, forms and pages beside today's. The old ones are from 2026-11-21, the first commit that stored messages as data
(\`git show 4e482b4:sandbox/demo/gallery.json\`, and the pages of its \`src/http/pages\`). Both are rendered by today's practice Slack. The
pictures of today are updated with the gallery.`;

const others =
  'Also [in light mode](before-and-after.md), [in dark mode](before-and-after-dark.md) and [on a phone](before-and-after-phone.md).';

/** Writes the pages that show the first messages beside today's: in light, in dark, and as wide as a phone in both. */
export async function writePairs(folder: string): Promise<void> {
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  await write(
    'before-and-after.md',
    page('Before and after', 420, [
      { head: 'before', folder: 'before/light', of: 'before' },
      { head: 'now', folder: 'light', of: 'now' },
    ]),
  );
  await write(
    'before-and-after-dark.md',
    page('Before and after, in dark mode', 420, [
      { head: 'before', folder: 'before/dark', of: 'before' },
      { head: 'now', folder: 'dark', of: 'now' },
    ]),
  );
  await write(
    'before-and-after-phone.md',
    page('Before and after, on a phone', 210, [
      { head: 'before', folder: 'before/phone/light', of: 'before' },
      { head: 'now', folder: 'phone/light', of: 'now' },
      { head: 'before, dark', folder: 'before/phone/dark', of: 'before' },
      { head: 'now, dark', folder: 'phone/dark', of: 'now' },
    ]),
  );
}

function page(title: string, width: number, columns: readonly Column[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const groups = [...Map.groupBy(pairs, ({ group }) => group)].map(([group, inGroup]) => {
    const rows = inGroup.map((pair) =>
      row(
        columns.map(
          ({ head, folder, of }) =>
            `<img src="${folder}/${pair[of]}.webp" alt="${pair.title}: ${head}" width="${width}">`,
        ),
      ),
    );
    return `## ${group}\n\n${[row(columns.map(({ head }) => head)), row(columns.map(() => '---')), ...rows].join('\n')}\n`;
  });
  return `# ${title}\n\n${origin}\n\n${others}\n\n${groups.join('\n')}`;
}
