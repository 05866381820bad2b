/** Formats rows as text, each column as wide as its longest cell. The first row is the heading. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (row[column] ?? '').padEnd(width))
      .join('  ')
      .trimEnd();
  const [heading, ...rest] = rows;
  if (heading === undefined) return '';
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...rest.map(line)].join('\n');
}

/** Formats rows as a Markdown table. The first row is the heading. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [heading = [], ...rest] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), `|${heading.map(() => '---').join('|')}|`, ...rest.map(line)].join('\n');
}

/** Returns the rows of the first Markdown table in a text, the heading first. */
export function cellsIn(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(2, -2)
        .split(' | ')
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}
