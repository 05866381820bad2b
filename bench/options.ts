import { parseArgs } from 'node:util';

/** Every figure, in the order of measurement. */
export const figureNames = [
  'acceptance',
  'latency',
  'end-to-end',
  'posting',
  'burst',
  'fairness',
  'afternoon',
  'start',
  'idle',
  'memory',
  'takeover',
  'malformed',
] as const;
export type FigureName = (typeof figureNames)[number];

/** What a run is to do. */
export type Options = {
  readonly figures: readonly FigureName[];
  readonly quick: boolean;
  readonly big: boolean;
  readonly write: boolean;
  readonly databaseUrl: string | undefined;
};

export const usage = `npm run bench -- [options]

Measures the bot beside bare servers, on this machine, and writes the figures into docs/measured.md.

  --only NAMES         some figures, with commas between: ${figureNames.join(', ')}
  --quick              short runs: to see that it works, not for the figures
  --big                once more with 1,000,000 subscriptions and 10,000,000 events stored, beside the small run
  --no-write           leaves docs/measured.md alone
  --database-url URL   a Postgres that may be used for it; otherwise a real one is started in a folder of its own
  --help               this text
`;

/** Reads the arguments. Returns the options, `help`, or a one-line error. */
export function readOptions(
  args: readonly string[],
): { kind: 'run'; options: Options } | { kind: 'help' } | { kind: 'wrong'; fault: string } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        big: { type: 'boolean', default: false },
        'no-write': { type: 'boolean', default: false },
        'database-url': { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const named =
      values.only === undefined ? [...figureNames] : values.only.split(',').map((name) => name.trim());
    const unknown = named.filter((name) => !isFigure(name));
    if (unknown.length > 0) return { kind: 'wrong', fault: `there is no figure ${unknown.join(', ')}` };
    return {
      kind: 'run',
      options: {
        figures: figureNames.filter((name) => named.includes(name)),
        quick: values.quick,
        big: values.big,
        write: !values['no-write'],
        databaseUrl: values['database-url'],
      },
    };
  } catch (error) {
    return { kind: 'wrong', fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the command that repeats a run with these options, without the database URL, which contains a password. */
export function commandOf({ figures, quick, big, write, databaseUrl }: Options): string {
  const args = [
    ...(figures.length < figureNames.length ? [`--only ${figures.join(',')}`] : []),
    ...(quick ? ['--quick'] : []),
    ...(big ? ['--big'] : []),
    ...(write ? [] : ['--no-write']),
    ...(databaseUrl === undefined ? [] : ['--database-url …']),
  ];
  return ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
}

function isFigure(name: string): name is FigureName {
  return figureNames.some((known) => known === name);
}
