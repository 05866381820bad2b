import { inShort } from './in-short.ts';
import type { Machine } from './machine.ts';
import { goalShown, isFailed, isMet, type Measure, type Section, shown } from './measure.ts';
import { cellsIn, markdownTable, textTable } from './table.ts';

/** The circumstances of a run. */
export type RunOf = {
  readonly date: Date;
  readonly machine: Machine;
  /** The command as typed. */
  readonly command: string;
  /** What a reader must know to interpret the figures. */
  readonly remarks: readonly string[];
};

const heading = ['figure', 'measured', 'goal', 'met'];
const inShortTitle = 'Summary';
/** For first-time readers. */
const intro = `Plancast as started by \`npm start\`, compared with bare servers that do as little as possible and with a simple bot: on this machine,
one after the other, each with a Slack that takes 80 ms to respond. The text above each table says what is compared. Figures with a
goal show whether it is met; the last table is a summary.`;
const biomeIgnore = '<!-- biome-ignore format: padded to its longest row, a table cannot be read as text -->';

function cellsOf(measure: Measure): string[] {
  const met = isMet(measure);
  const value = shown(measure.value, measure.unit);
  return [
    measure.what,
    measure.note === undefined ? value : `${value} (${measure.note})`,
    goalShown(measure),
    met === null ? '' : met ? 'yes' : 'NO',
  ];
}

function headOf({ date, machine, command }: RunOf): string {
  return `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, \`${command}\``;
}

/** Returns all figures as text. */
export function textReport(run: RunOf, sections: readonly Section[]): string {
  const tables = sections.map(
    ({ figure, about, measures }) =>
      `${[figure, ...(about === undefined ? [] : [about])].join('\n')}\n\n${textTable([heading, ...measures.map(cellsOf)])}`,
  );
  const short = inShort(sections);
  const end = short.length === 0 ? [] : [`${inShortTitle}\n\n${textTable(short)}`];
  return [headOf(run), intro, ...run.remarks, ...tables, ...end].join('\n\n');
}

/** Returns all figures in Markdown, for the section between the markers. */
export function markdownReport(run: RunOf, sections: readonly Section[]): string {
  const tables = sections.map((section) => markdownOf(section));
  return [
    `${headOf(run)}.`,
    intro.replaceAll('\n', ' '),
    ...run.remarks,
    ...tables,
    ...markdownSummary(inShort(sections)),
  ].join('\n\n');
}

/**
 * Returns a report with the tables of these figures replaced, or added before the summary, and all others unchanged. The replaced ones
 * say when and how they were measured, since the report's first line is about the others. A figure that could not be measured keeps its
 * old table.
 */
export function updateReport(report: string, run: RunOf, sections: readonly Section[]): string {
  const measured = sections.filter((section) => !isFailed(section));
  const note = ['Measured again:', `${headOf(run)}.`, ...run.remarks].join(' ');
  const tables = new Map(measured.map((section) => [section.figure, markdownOf(section, note)]));
  const [head = '', ...parts] = report.split(/^(?=### )/m).map((part) => part.trim());
  const before = parts.filter((part) => titleOf(part) !== inShortTitle);
  const kept = before.map((part) => tables.get(titleOf(part)) ?? part);
  const titles = new Set(before.map(titleOf));
  const added = [...tables].flatMap(([title, table]) => (titles.has(title) ? [] : table));
  const summary = parts.find((part) => titleOf(part) === inShortTitle);
  const [heading = [], ...rows] = inShort(measured);
  const answers = new Map(rows.map((row) => [row[0], row]));
  const answered = cellsIn(summary ?? '').map((row) => {
    const again = answers.get(row[0] ?? '');
    answers.delete(row[0] ?? '');
    return again ?? row;
  });
  const all = [...answered, ...answers.values()];
  const shown = all.length === 0 ? [] : markdownSummary(answered.length === 0 ? [heading, ...all] : all);
  return [head, ...kept, ...added, ...shown].join('\n\n');
}

function markdownOf({ figure, about, measures }: Section, note?: string): string {
  const table = `${biomeIgnore}\n${markdownTable([heading, ...measures.map(cellsOf)])}`;
  return [`### ${figure}`, ...(about ? [about] : []), ...(note ? [note] : []), table].join('\n\n');
}

function markdownSummary(rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`### ${inShortTitle}\n\n${biomeIgnore}\n${markdownTable(rows)}`];
}

/** Returns the title of one figure's part of a report. */
function titleOf(part: string): string {
  return part.split('\n')[0]?.replace(/^### /, '') ?? '';
}
