import { EndError, exitCodes } from '../lib/end-error.ts';

/** Why the embedded Postgres cannot be used, with the remedy, for the admin who starts the bot. */
export class EmbeddedPostgresError extends EndError {
  override readonly name: string = 'EmbeddedPostgresError';
  constructor(message: string, options?: ErrorOptions) {
    super(message, exitCodes.unavailable, options);
  }
}

/** Another bot runs on the same `DATA_DIR`. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override readonly name = 'DataDirInUseError';
}
