import { type Env, readEnv } from '../../env.ts';
import { makeLog } from '../../log.ts';
import { EndError, exitCodes } from './end-error.ts';

/** The settings; throws an `EndError` with a line for each fault. */
export function settingsIn(source: Readonly<Record<string, string | undefined>>): Env {
  const read = readEnv(source);
  if (read.ok) return read.env;
  throw new EndError(read.faults.join('\n'), exitCodes.config);
}

/**
 * Runs the main function of a process. An error that an admin can fix ends the process with its sentence on stderr and its exit code;
 * any other is logged, without secrets, and ends it with 1.
 */
export function runEntry(main: () => Promise<void>): void {
  main().catch(async (error: unknown) => {
    // It knows the errors of every room, and a process that starts well needs none of them.
    const { endErrorFrom } = await import('./end-error-from.ts');
    const known = endErrorFrom(error);
    if (known === null) logToStderr([]).fatal({ err: error }, 'failed');
    else process.stderr.write(`${known.message}\n`);
    process.exit(known?.exitCode ?? exitCodes.failed);
  });
}

/** Runs a command: `main` gets its arguments. A reader that stops early (`| head`) is not an error. */
export function runCommand(main: (args: readonly string[]) => Promise<void>): void {
  process.stdout.on('error', () => undefined);
  runEntry(() => main(process.argv.slice(2)));
}

/** Writes a line, or several, to stdout. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A log for commands: warnings and errors on stderr, since stdout is for their output. */
export function logToStderr(secrets: readonly string[]) {
  return makeLog({ level: 'warn', secrets, write: (line) => void process.stderr.write(line) });
}
