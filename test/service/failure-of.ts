import { expect } from 'vitest';
import { ServiceError } from '../../src/core/model/service-error.ts';

/** Part of every secret in these tests. */
export const secret = 'that-must-not-be-shown';

/** Returns the service error that a promise fails with. Fails the test if the promise resolves, fails otherwise, or shows a secret. */
export async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  const outcome = await promise.then(
    (value) => ({ kept: value }),
    (error: unknown) => ({ error }),
  );
  if ('kept' in outcome)
    throw new Error(`nothing failed, but this was returned: ${JSON.stringify(outcome.kept)}`);
  if (!(outcome.error instanceof ServiceError)) throw outcome.error;
  expect(everythingOf(outcome.error)).not.toContain(secret);
  return outcome.error;
}

/** Returns everything that a logger could write of an error. */
export function everythingOf(error: Error): string {
  return JSON.stringify({ ...error, message: error.message, stack: error.stack, cause: error.cause });
}
