import type { ServiceError } from '../../service/errors.ts';

/** The failure at the service that this is; null where it did not come from there. Told by its name: only types cross the rooms. */
export function serviceFailure(error: unknown): ServiceError | null {
  return isServiceError(error) ? error : null;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && error.name === 'ServiceError';
}
