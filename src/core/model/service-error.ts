/**
 * Why something could not be done at the service.
 * - `unauthorized`: the access token is not taken (any more): refresh once, then the person links again
 * - `forbidden`: the account may not, or the scopes do not cover it, or the bot's own client id or secret is refused
 * - `not-found`, `conflict`, `invalid`: the request as it is will not succeed
 * - `rate-limited`, `unavailable`: the same request may succeed later
 * - `unreadable`: an answer that is not what the interface shows; what was asked may have been done
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
  /** HTTP status, or null where there was no answer. */
  readonly status: number | null;
  /** What the service asked for by `Retry-After`, at most a day; null where it asked for nothing. */
  readonly retryAfterSeconds: number | null;
  /** One or two sentences to tell the person, as plain text that is still to be escaped. */
  readonly forPerson: string;
  /** What was tried, with ids, and what came of it. Holds no token, code, secret, key or callback URL. */
  readonly forLog: string;
};

/**
 * The one error of everything that talks to the service. It has no `cause`: what the network libraries throw holds the request with
 * its access token, and loggers write causes out.
 */
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

/** The failure at the service that this is; null where it did not come from there. */
export function serviceFailure(error: unknown): ServiceError | null {
  return error instanceof ServiceError ? error : null;
}
