/** Returns an error's code: a five-character Postgres code, a system code such as ECONNREFUSED, or `unknown`. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/**
 * Whether Postgres blames the data that was sent, not the server: data exceptions, violated constraints, and values too long for an index.
 */
export function isDataError(error: unknown): boolean {
  return /^(2[123]|54)/.test(codeOf(error));
}

/** Whether Postgres canceled a statement, as it does after the statement's timeout. */
export function isTimedOut(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/**
 * Whether the database is unusable for everyone right now: unreachable or silent, starting up or shutting down, read-only, or out of
 * memory, disk space or connections. Any other error concerns only the statement that met it.
 */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  // A five-letter code without a digit is a system error, such as EPIPE.
  const isPostgres = /^(?=.*\d)[\dA-Z]{5}$/.test(code);
  return !isPostgres || /^(08|53|57P|58|25006)/.test(code);
}
