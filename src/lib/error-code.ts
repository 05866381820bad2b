/** The code of an error: five characters of Postgres, a system error such as ECONNREFUSED, or `unknown`. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

/** Whether Postgres found the error in the data that was sent, not in the server: data exceptions and violated constraints. */
export function isDataError(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error));
}
