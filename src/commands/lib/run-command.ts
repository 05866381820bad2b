import { type Env, readEnv } from '../../env.ts';
import { makeLog } from '../../log.ts';
import { EndError, exitCodes } from './end-error.ts';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings; throws an `EndError` with a line for each fault. */
export function settingsIn(source: Environment): Env {
  const read = readEnv(source);
  if (read.ok) return read.env;
  throw new EndError(read.faults.join('\n'), exitCodes.config);
}

/**
 * Runs the main function of a process. An error that an admin can fix ends the process with its message on stderr and its exit code; any
 * other error is logged and ends it with 1.
 */
export function runEntry(main: () => Promise<void>): void {
  main().catch(async (error: unknown) => {
    // Imported only now: it pulls in the errors of every room, which a successful start does not need.
    const { endErrorFrom } = await import('./end-error-from.ts');
    const known = endErrorFrom(error);
    if (known === null) logToStderr().fatal({ err: error }, 'failed');
    else process.stderr.write(`${known.message}\n`);
    process.exit(known?.exitCode ?? exitCodes.failed);
  });
}

/**
 * Runs a command, or prints how it is used if one of its arguments is `--help` or `-h`; `main` receives its arguments and its environment.
 * A reader that stops early (`| head`) is not an error.
 */
export function runCommand(
  usage: string,
  main: (args: readonly string[], environment: Environment) => Promise<void>,
): void {
  process.stdout.on('error', () => undefined);
  const args = process.argv.slice(2);
  const asksForHelp = args.includes('--help') || args.includes('-h');
  // biome-ignore lint/style/noProcessEnv: an entry hands the environment to its one reader
  runEntry(async () => (asksForHelp ? say(usage) : main(args, process.env)));
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
