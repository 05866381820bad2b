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

/** The options of a run. */
export type Options = {
  readonly figures: readonly FigureName[];
  readonly quick: boolean;
  readonly big: boolean;
  readonly write: boolean;
  readonly databaseUrl: string | undefined;
};

export const usage = `npm run bench -- [options]

Measures the bot on this machine, compares it with bare servers, and writes the figures to docs/measured.md.

  --only NAMES         only these figures, whose rows replace the ones in docs/measured.md; comma-separated: ${figureNames.join(', ')}
  --quick              short runs, to check that it works; not for publication
  --big                repeat with 1,000,000 subscriptions and 10,000,000 events stored, and compare with the small run
  --no-write           do not change docs/measured.md
  --database-url URL   the Postgres to use; by default a real one is started in a temporary folder
  --help               show this help
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
