import {
  EmbeddedPostgresError,
  MissingProgramsError,
} from '../../embedded-postgres/embedded-postgres-error.ts';
import { whatIsIncomplete } from '../../incomplete.js';
import { DatabaseSettingError, DatabaseUnreachableError } from '../../store/database.ts';
import { databaseFault } from '../../store/database-fault.ts';
import { NewerDatabaseError, OtherProcessesError } from '../../store/migrate.ts';
import { TransactionPoolerError } from '../../store/pooler.ts';
import { TokenKeysError } from '../../store/sealing/token-keys.ts';
import { WrongTokenKeysError } from '../../store/sealing/verify-keys.ts';
import { EndError, exitCodes } from './end-error.ts';

/** Returns the message and exit code for an error that an admin can fix; null for any other. */
export function endErrorFrom(error: unknown): EndError | null {
  if (error instanceof EndError) return error;
  const incomplete = whatIsIncomplete(error);
  if (incomplete !== null) return new EndError(incomplete, exitCodes.config);
  const isForConfig = [
    TokenKeysError,
    WrongTokenKeysError,
    NewerDatabaseError,
    TransactionPoolerError,
    DatabaseSettingError,
    MissingProgramsError,
  ].some((kind) => error instanceof kind);
  if (error instanceof Error && isForConfig) return new EndError(error.message, exitCodes.config);
  if (error instanceof OtherProcessesError) return new EndError(error.message, exitCodes.tryAgain);
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
