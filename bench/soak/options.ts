import { parseArgs } from 'node:util';

/** The options of a soak. */
export type SoakOptions = {
  readonly minutes: number;
  /** Notifications per second, not counting duplicates. */
  readonly rate: number;
  readonly channels: number;
  /** How often one of the two processes is ended, in minutes. */
  readonly restartMinutes: number;
  /** How often the database fails over, in minutes; null: never. */
  readonly failoverMinutes: number | null;
  /** Whether a third process runs that is never ended. */
  readonly steady: boolean;
  /** The page whose section is rewritten. */
  readonly out: string;
};

export const usage = `Runs the bot under a steady load for a long time, kills it now and then, and checks whether anything was lost.

  npm run soak -- [--minutes 60] [--rate 20] [--channels 100] [--restart-minutes 10] [--failover-minutes 15] [--steady]
                  [--out docs/measured.md]

  --minutes          how long notifications are sent; pending events are still posted after that
  --rate             notifications per second
  --channels         subscribed channels, 1 to 500
  --restart-minutes  how often one of the two processes is ended, by kill -9 or SIGTERM in turn, and restarted
  --failover-minutes how often the primary of three Postgres servers is killed, stopped, cut off or switched over, in turn; by default
                     there is one server and no failover (has the requirements of \`npm run test:failover\`)
  --steady           runs a third process that is never ended: only its memory can show a leak
  --out              the page to write the figures to, between <!-- soak:start --> and <!-- soak:end -->

Ctrl-C ends it early, with the figures so far. Exit code 1 if something was lost, posted twice or out of order.
`;

/** The arguments are not understood; the message is one line. */
export class WrongOptionsError extends Error {
  override readonly name = 'WrongOptionsError';
}

/**
 * Reads the arguments; returns `help` if that was asked for.
 * @throws WrongOptionsError
 */
export function readOptions(args: readonly string[]): SoakOptions | 'help' {
  const typed = parse(args);
  if (typed.help) return 'help';
  return {
    minutes: figure('minutes', typed.minutes, { least: 0.1, most: 100_000 }),
    rate: figure('rate', typed.rate, { least: 0.1, most: 10_000 }),
    channels: Math.round(figure('channels', typed.channels, { least: 1, most: 500 })),
    restartMinutes: figure('restart-minutes', typed['restart-minutes'], { least: 0.2, most: 100_000 }),
    failoverMinutes:
      typed['failover-minutes'] === undefined
        ? null
        : figure('failover-minutes', typed['failover-minutes'], { least: 1, most: 100_000 }),
    steady: typed.steady,
    out: typed.out,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '60' },
        rate: { type: 'string', default: '20' },
        channels: { type: 'string', default: '100' },
        'restart-minutes': { type: 'string', default: '10' },
        'failover-minutes': { type: 'string' },
        steady: { type: 'boolean', default: false },
        out: { type: 'string', default: 'docs/measured.md' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? error.message : 'Invalid options.';
    throw new WrongOptionsError(message, { cause: error });
  }
}

function figure(name: string, typed: string, { least, most }: { least: number; most: number }): number {
  const value = /^\d+(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongOptionsError(`--${name} is not a number from ${least} to ${most}: ${typed}`);
}
