import { inShort } from './in-short.ts';
import type { Machine } from './machine.ts';
import { goalShown, isFailed, isMet, type Measure, type Section, shown } from './measure.ts';
import { cellsIn, markdownTable, textTable } from './table.ts';

type Row = readonly string[];

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
/** For first-time readers of all figures. */
const intro = `Plancast as started by \`npm start\`, compared with bare servers that do as little as possible and with a simple bot: on this machine,
one after the other, each with a Slack that takes 80 ms to respond. The text above each table says what is compared. Figures with a
goal show whether it is met; the last table is a summary.`;
const pageHeading = ['figure', 'what', 'measured', 'goal', 'met', 'day'];
/** For readers of the page. */
const pageIntro =
  'The figures that have a goal or answer a main question; the command prints all, and says what each compares. Rows of another day were measured alone, with `--only`.';
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

/** Returns the figures of the page in Markdown, for the section between the markers. */
export function markdownReport(run: RunOf, sections: readonly Section[]): string {
  return [
    `${[`${headOf(run)}.`, ...run.remarks].join(' ')}`,
    pageIntro,
    pageTable(pageRows(run, sections)),
  ].join('\n\n');
}

/**
 * Returns a report with the rows of these figures replaced, or added at the end, and all others unchanged. A figure that could not be
 * measured keeps its old rows.
 */
export function updateReport(report: string, run: RunOf, sections: readonly Section[]): string {
  const byFigure = (rows: readonly Row[]) => Map.groupBy(rows, ([figure]) => figure);
  const [, ...before] = cellsIn(report);
  const measured = sections.filter((section) => !isFailed(section));
  const all = new Map([...byFigure(before), ...byFigure(pageRows(run, measured))]);
  const [head = ''] = report.split(biomeIgnore);
  return `${head}${pageTable([...all.values()].flat())}`;
}

/** Returns the rows of what has a goal or answers one of the main questions. Everything else is only on the terminal. */
function pageRows({ date }: RunOf, sections: readonly Section[]): Row[] {
  return sections.flatMap(({ figure, measures }) =>
    measures
      .filter(({ goal, inShort }) => goal !== undefined || inShort !== undefined)
      .map((measure) => [figure, ...cellsOf(withBeside(measure)), dayOf(date)]),
  );
}

function withBeside({ note, beside, ...measure }: Measure): Measure {
  const notes = [note, beside].filter((text) => text !== undefined && text !== '');
  return { ...measure, note: notes.length === 0 ? undefined : notes.join('; ') };
}

function pageTable(rows: readonly Row[]): string {
  return `${biomeIgnore}\n${markdownTable([pageHeading, ...rows])}`;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
