import {
  EmbeddedPostgresError,
  MissingProgramsError,
} from '../../embedded-postgres/embedded-postgres-error.ts';
import { type Env, readEnv } from '../../env.ts';
import { makeLog } from '../../log.ts';
import { DatabaseUnreachableError } from '../../store/database.ts';
import { databaseFault } from '../../store/database-fault.ts';
import { NewerDatabaseError } from '../../store/migrate.ts';
import { TransactionPoolerError } from '../../store/pooler.ts';
import { TokenKeysError } from '../../store/sealing/token-keys.ts';
import { WrongTokenKeysError } from '../../store/sealing/verify-keys.ts';

/** Exit codes: the last two as BSD's sysexits.h names them. */
export const exitCodes = { failed: 1, usage: 2, unavailable: 69, config: 78 } as const;

/** Ends the process with a sentence for the admin, without a stack trace. */
export class EndError extends Error {
  override readonly name = 'EndError';
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

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
  main().catch((error: unknown) => {
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

/** The sentence and exit code of an error that an admin can fix; null for any other. */
function endErrorFrom(error: unknown): EndError | null {
  if (error instanceof EndError) return error;
  const isForConfig = [
    TokenKeysError,
    WrongTokenKeysError,
    NewerDatabaseError,
    TransactionPoolerError,
    MissingProgramsError,
  ].some((kind) => error instanceof kind);
  if (error instanceof Error && isForConfig) return new EndError(error.message, exitCodes.config);
  if (error instanceof EmbeddedPostgresError) return new EndError(error.message, exitCodes.unavailable);
  const unreachable = error instanceof DatabaseUnreachableError;
  const fault = databaseFault(unreachable ? error.cause : error);
  if (fault !== null) {
    return new EndError(
      `The database of DATABASE_URL ${fault.said}: ${fault.remedy}.`,
      exitCodes.unavailable,
    );
  }
  return unreachable ? new EndError(error.message, exitCodes.unavailable) : null;
}
