import { type Env, readEnv } from '../../env.ts';
import { whatIsIncomplete } from '../../incomplete.js';
import { EndError, exitCodes } from '../../lib/end-error.ts';
import { makeLog } from '../../log.ts';
import { databaseEnd } from '../../store/database-fault.ts';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; throws an `EndError` with a line for each fault. */
export function settingsIn(source: Environment): Env {
  const read = readEnv(source);
  if (read.ok) return read.env;
  throw new EndError(read.faults.join('\n'), exitCodes.config);
}

/** Returns the message and exit code for an error that an admin can fix; null for any other. */
function endErrorFrom(error: unknown): EndError | null {
  if (error instanceof EndError) return error;
  const incomplete = whatIsIncomplete(error);
  return incomplete === null ? databaseEnd(error) : new EndError(incomplete, exitCodes.config);
}

/**
 * Runs a command, or prints how it is used if one of its arguments is `--help` or `-h`, if one is empty, or if there are not as many as it
 * takes. An error that an admin can fix ends the process with its message on stderr and its exit code; any other error is logged and ends it
 * with 1. A reader that stops early (`| head`) is not an error.
 * @param takes how many arguments there can be; none by default
 */
export function runCommand(
  usage: string,
  main: (environment: Environment, args: readonly string[]) => Promise<void>,
  takes: readonly number[] = [0],
): void {
  process.stdout.on('error', () => undefined);
  const args = process.argv.slice(2);
  const asksForHelp = args.includes('--help') || args.includes('-h');
  if (asksForHelp) {
    say(usage);
    return;
  }
  const run = async () => {
    if (!takes.includes(args.length) || args.includes('')) throw new EndError(usage, exitCodes.usage);
    // biome-ignore lint/style/noProcessEnv: an entry hands the environment to its one reader
    await main(process.env, args);
  };
  run().catch((error: unknown) => {
    const known = endErrorFrom(error);
    if (known === null) logToStderr().fatal({ err: error }, 'failed');
    else process.stderr.write(`${known.message}\n`);
    process.exit(known?.exitCode ?? exitCodes.failed);
  });
}

/** Writes one or more lines to stdout. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Creates a log for commands, which writes warnings and errors to stderr, since stdout is for their output. */
function logToStderr() {
  return makeLog({ level: 'warn', write: (line) => void process.stderr.write(line) });
}

/** Reads the settings, with a log for the command; throws as `settingsIn` does. */
export function settingsWithLog(source: Environment) {
  const env = settingsIn(source);
  return { env, log: logToStderr() };
}
