import { EmbeddedPostgresError } from '../../embedded-postgres/embedded-postgres-error.ts';
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

/** What ends the process with a sentence for the admin, and no stack. */
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
 * Runs what a process is there for. What it throws ends the process: a fault that an admin can mend with its sentence on stderr and
 * its exit code, any other with one line as the log has it, which holds no secret.
 */
export function runEntry(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    const known = endErrorFrom(error);
    if (known === null) logToStderr([]).fatal({ err: error }, 'failed');
    else process.stderr.write(`${known.message}\n`);
    process.exit(known?.exitCode ?? exitCodes.failed);
  });
}

/** Runs a command: `main` gets its arguments. Whoever reads its output may stop (`| head`): that is no fault. */
export function runCommand(main: (args: readonly string[]) => Promise<void>): void {
  process.stdout.on('error', () => undefined);
  runEntry(() => main(process.argv.slice(2)));
}

/** Writes a line, or several, to stdout. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A log for commands, whose stdout is for what they were asked for. Only what went wrong is told. */
export function logToStderr(secrets: readonly string[]) {
  return makeLog({ level: 'warn', secrets, write: (line) => void process.stderr.write(line) });
}

/** The sentence and exit code for what an admin can mend; null for what only a developer can. */
function endErrorFrom(error: unknown): EndError | null {
  if (error instanceof EndError) return error;
  const isForConfig = [TokenKeysError, WrongTokenKeysError, NewerDatabaseError, TransactionPoolerError].some(
    (kind) => error instanceof kind,
  );
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
