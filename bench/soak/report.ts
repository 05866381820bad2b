import { percentile, type Slope, slopeOf } from './metrics.ts';
import type { MemoryReport } from './report-memory.ts';
import type { Sample } from './samples.ts';
import type { SoakResult } from './soak.ts';

/** One result, its figure, and whether it is good. Null if that cannot be known. */
type Row = { readonly what: string; readonly figure: string; readonly good: boolean | null };

/** A process is warm after this many milliseconds: its memory is measured from here on. */
const warmMs = 10 * 60_000;
const growthAnHour = 1;
const slowerAtMost = 1.5;
/** One hour; a shorter soak is compared by its quarters. */
const hourMs = 3_600_000;

/** Returns whether nothing was lost, duplicated beyond the unavoidable, or out of order, and no process misbehaved. */
export function isClean({ delivery, trouble }: SoakResult): boolean {
  return delivery.findings.length === 0 && trouble.length === 0;
}

/** Returns everything for the terminal: the table and the findings. */
export function tableOf(result: SoakResult): string {
  const rows = rowsOf(result);
  const width = Math.max(...rows.map(({ what }) => what.length));
  const lines = rows.map(({ what, figure, good }) => `${what.padEnd(width)}  ${figure}${verdict(good)}`);
  return [...lines, ...result.trouble, ...result.delivery.findings].join('\n');
}

/** Returns the section for the page of figures, without its marker lines. */
export function sectionOf(result: SoakResult, machine: string): string {
  const { options, began } = result;
  const day = began.toISOString().slice(0, 16).replace('T', ' ');
  const typed = [
    `--minutes ${options.minutes} --rate ${options.rate} --channels ${options.channels}`,
    `--restart-minutes ${options.restartMinutes}`,
    ...(options.failoverMinutes === null ? [] : [`--failover-minutes ${options.failoverMinutes}`]),
    ...(options.steady ? ['--steady'] : []),
  ].join(' ');
  return [
    `${day} UTC, ${machine}, \`npm run soak -- ${typed}\`.`,
    '',
    '<!-- biome-ignore format: padded to its longest row, a table cannot be read as text -->',
    '| what | figure | goal |',
    '|---|---|---|',
    ...rowsOf(result).map(({ what, figure, good }) => `| ${what} | ${figure} | ${verdictWord(good)} |`),
  ].join('\n');
}

/**
 * Puts a section between the two marker lines of a page.
 * @returns the page; missing markers are added at its end, with the section
 */
export function withSection(page: string, section: string): string {
  const marks = { start: '<!-- soak:start -->', end: '<!-- soak:end -->' };
  const whole = `${marks.start}\n${section}\n${marks.end}`;
  const start = page.indexOf(marks.start);
  const end = page.indexOf(marks.end, start);
  if (start === -1 || end === -1) return `${page.trimEnd()}\n\n## Soak\n\n${whole}\n`;
  return page.slice(0, start) + whole + page.slice(end + marks.end.length);
}

function verdict(good: boolean | null): string {
  const word = verdictWord(good);
  return word === '' ? '' : ` (${word})`;
}

function verdictWord(good: boolean | null): string {
  if (good === null) return '';
  return good ? 'met' : 'NOT MET';
}

function rowsOf(result: SoakResult): Row[] {
  const { delivery, sender, slack, endings, options, lastedMs } = result;
  const { counts } = delivery;
  const kills = endings.filter(({ signal }) => signal === 'SIGKILL').length;
  const stops = endings.filter(({ signal }) => signal === 'SIGTERM');
  const allowed = slack.ambiguous + result.cutShort;
  const disturbed = Object.entries(slack.spoiled).map(([how, count]) => `${how} ${count}`);
  return [
    plain(
      'sent for',
      `${(lastedMs / 60_000).toFixed(1)} min at ${options.rate}/s to ${options.channels} channels`,
    ),
    plain('accepted (2xx)', number(counts.accepted)),
    {
      what: 'responses other than 2xx',
      figure: `${countsIn(sender.refused)}; without a response during restarts: ${countsIn(sender.unanswered)}`,
      good: Object.keys(sender.refused).every((status) => status === '503') && sender.givenUp === 0,
    },
    plain(
      'posted / filtered / dead / held',
      [counts.posted, counts.filtered, counts.dead, counts.pending].map(number).join(' / '),
    ),
    { what: 'lost', figure: number(counts.lost), good: counts.lost === 0 },
    {
      what: 'posted twice',
      figure: `${counts.doubled} of at most ${allowed}: ${slack.ambiguous} unreadable responses from Slack, ${result.cutShort} turns cut short by ${kills} kills`,
      good: counts.doubled <= allowed,
    },
    { what: 'out of order', figure: number(counts.outOfOrder), good: counts.outOfOrder === 0 },
    {
      what: 'calls faster than Slack allows',
      figure: countsIn(slack.tooFast),
      good: Object.keys(slack.tooFast).length === 0,
    },
    plain(
      'posts and edits',
      `${number(slack.posts)} and ${number(slack.updates)}; faults: ${disturbed.join(', ') || 'none'}`,
    ),
    {
      what: 'SIGTERM',
      figure: `${stops.length} times, exit 0 within ${seconds(Math.max(0, ...stops.map(({ ms }) => ms)))}`,
      good: stops.every(({ code }) => code === 0),
    },
    ...failoversOf(result),
    ...timesOf(result),
    ...memoryOf(result),
    ...tablesOf(result.samples),
  ];
}

function countsIn(counts: Readonly<Record<string, number>>): string {
  const each = Object.entries(counts).map(([what, count]) => `${number(count)} x ${what}`);
  return each.join(', ') || 'none';
}

function plain(what: string, figure: string): Row {
  return { what, figure, good: null };
}

function timesOf(result: SoakResult): Row[] {
  return [timeRow('acceptance', result.accepts, result), timeRow('event to post', result.posts, result)];
}

function failoversOf({ failovers }: SoakResult): Row[] {
  if (failovers.length === 0) return [];
  const each = failovers.map(({ way, ms }) => `${way} ${seconds(ms)}`);
  return [
    plain(
      'failovers, and time until another server accepted writes',
      `${failovers.length}: ${each.join(', ')}`,
    ),
  ];
}

/** Returns a row for a duration, and whether it was worse at the end than at the start. */
function timeRow(
  what: string,
  all: readonly { readonly at: number; readonly ms: number }[],
  { began, lastedMs }: SoakResult,
): Row {
  const part = Math.min(hourMs, lastedMs / 4);
  const start = began.getTime();
  const end = start + lastedMs;
  const msOf = (from: number, to: number) =>
    all.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms);
  const [first, last] = [msOf(start, start + part), msOf(end - part, end)].map((ms) => percentile(ms, 0.99));
  const values = all.map(({ ms }) => ms);
  const figure = [
    `p50 ${milliseconds(percentile(values, 0.5))}`,
    `p99 ${milliseconds(percentile(values, 0.99))}`,
    `p99 of the first ${minutes(part)} ${milliseconds(first ?? null)}, of the last ${milliseconds(last ?? null)}`,
  ].join(', ');
  const good = first == null || last == null ? null : last <= first * slowerAtMost;
  return { what, figure, good };
}

/** Returns the peak memory of any process, and how that of the longest-lived one grew once it was warm. */
function memoryOf({ samples, options }: SoakResult): Row[] {
  const all = memoriesOf(samples);
  const highest = all.length === 0 ? '-' : `${Math.max(...all.map(({ peak }) => peak)).toFixed(0)} MiB`;
  const lives = Object.values(
    Object.groupBy(
      all.filter(({ at, since }) => at - since >= warmMs),
      ({ bot, since }) => `${bot} ${since}`,
    ),
  );
  const longest = lives.reduce<Memory[]>((one, other = []) => (other.length > one.length ? other : one), []);
  const growth = (what: string, measure: 'resident' | 'inUse'): Row => {
    const slope = slopeOf(longest.map((memory) => ({ at: memory.at, value: memory[measure] })));
    return {
      what: `${what} after the first 10 min, collected each minute`,
      figure: slope ? growthIn(longest, measure, slope) : 'no process ran long enough',
      good: slope === null || !options.steady ? null : slope.perHour - 2 * slope.error < growthAnHour,
    };
  };
  return [
    plain('peak memory of one process', highest),
    growth('memory in use', 'inUse'),
    growth('resident memory', 'resident'),
  ];
}

/** The memory of a process at a time; `since` is when it was started. */
type Memory = MemoryReport & { readonly bot: string; readonly since: number; readonly at: number };

function memoriesOf(samples: readonly Sample[]): Memory[] {
  return samples.flatMap(({ at, memory }) =>
    memory.flatMap(({ bot, since, report }) =>
      since === null || report === null ? [] : [{ bot, since, at, ...report }],
    ),
  );
}

function growthIn(life: readonly Memory[], measure: 'resident' | 'inUse', { perHour, error }: Slope): string {
  const [first, last] = [life[0], life.at(-1)].map((memory) => memory?.[measure].toFixed(1));
  const slope = `${perHour.toFixed(1)} ± ${error.toFixed(1)} MiB an hour`;
  return `${life[0]?.bot}: ${slope} over ${life.length} min, ${first} MiB at first, ${last} at the end`;
}

function tablesOf(samples: readonly Sample[]): Row[] {
  const last = samples.at(-1);
  if (!last) return [];
  return last.tables
    .slice(0, 5)
    .map(({ name, mib, rows }) =>
      plain(
        `table ${name}`,
        `${mib.toFixed(1)} MiB, ${number(rows)} rows, at most ${number(mostDead(samples, name))} dead`,
      ),
    );
}

function mostDead(samples: readonly Sample[], name: string): number {
  return Math.max(
    0,
    ...samples.flatMap(({ tables }) => tables.filter((t) => t.name === name).map((t) => t.dead)),
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}

function milliseconds(value: number | null): string {
  return value === null ? '-' : `${number(Math.round(value))} ms`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function minutes(ms: number): string {
  return ms >= hourMs ? 'hour' : `${(ms / 60_000).toFixed(1)} min`;
}
