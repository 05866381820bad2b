/** The code of an error: five characters of Postgres, a system error such as ECONNREFUSED, or `unknown`. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/**
 * Whether Postgres found the error in the data that was sent, not in the server: data exceptions, violated constraints, and what is too
 * long for an index.
 */
export function isDataError(error: unknown): boolean {
  return /^(2[123]|54)/.test(codeOf(error));
}

/** Whether a statement took longer than Postgres gave it. */
export function isTimedOut(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/**
 * Whether the database is of no use to anybody just now: it is not reached or does not answer, is ending or starting, takes no writes, or
 * has run out of memory, disk or connections. Any other error is about the one statement that met it.
 */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  // Five letters without a digit are the system's, such as EPIPE.
  const isPostgres = /^(?=.*\d)[\dA-Z]{5}$/.test(code);
  return !isPostgres || /^(08|53|57P|58|25006)/.test(code);
}
