/**
 * Why a call to the service failed.
 * - `unauthorized`: the access token is rejected: refresh once, then the person links again
 * - `forbidden`: the account lacks permission, or the scopes do not cover it, or the bot's own client id or secret is refused
 * - `not-found`, `conflict`, `invalid`: the request will not succeed unchanged
 * - `rate-limited`, `unavailable`: the same request may succeed later
 * - `unreadable`: the response does not match the interface; the action may have been carried out
 * - `invalid-grant`: the refresh token or authorization code is used up, expired or revoked
 * - `denied`: the person did not grant access
 */
export type ServiceErrorKind =
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'invalid'
  | 'rate-limited'
  | 'unavailable'
  | 'unreadable'
  | 'invalid-grant'
  | 'denied';

type ServiceErrorFields = {
  readonly kind: ServiceErrorKind;
  /** HTTP status, or null if there was no response. */
  readonly status: number | null;
  /** The service's `Retry-After`, at most a day; null if it sent none. */
  readonly retryAfterSeconds: number | null;
  /** One or two sentences for the person, as plain text that is not escaped yet. */
  readonly forPerson: string;
  /** What was tried, with ids, and the result. Contains no token, code, secret, key or callback URL. */
  readonly forLog: string;
};

/** The one error for every call to the service, without a `cause`: errors of libraries contain the access token, and loggers print causes. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly kind: ServiceErrorKind;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;
  readonly forPerson: string;
  readonly forLog: string;

  constructor(fields: ServiceErrorFields) {
    super(fields.forLog);
    this.kind = fields.kind;
    this.status = fields.status;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.forPerson = fields.forPerson;
    this.forLog = fields.forLog;
  }
}

/** Whether the service refuses this resource to the person (403), or has none of that name for them (404). */
export function isRefusal(kind: ServiceErrorKind): boolean {
  return kind === 'forbidden' || kind === 'not-found';
}

/** Whether the same request may succeed in a moment. */
export function mayPass(kind: ServiceErrorKind): boolean {
  return kind === 'unavailable' || kind === 'rate-limited';
}

/** Returns the error if it came from the service, else null. */
export function serviceFailure(error: unknown): ServiceError | null {
  return error instanceof ServiceError ? error : null;
}
