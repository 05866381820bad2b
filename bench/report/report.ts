import { inShort } from './in-short.ts';
import type { Machine } from './machine.ts';
import { goalShown, isMet, type Measure, type Section, shown } from './measure.ts';
import { markdownTable, textTable } from './table.ts';

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
  const tables = sections.map(
    ({ figure, about, measures }) =>
      `### ${figure}\n\n${about === undefined ? '' : `${about}\n\n`}${biomeIgnore}\n${markdownTable([heading, ...measures.map(cellsOf)])}`,
  );
  const short = inShort(sections);
  const end = short.length === 0 ? [] : [`### ${inShortTitle}\n\n${biomeIgnore}\n${markdownTable(short)}`];
  return [`${headOf(run)}.`, intro.replaceAll('\n', ' '), ...run.remarks, ...tables, ...end].join('\n\n');
}
