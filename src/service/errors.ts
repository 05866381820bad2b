import { ServiceError, type ServiceErrorKind } from '../core/model/service-error.ts';
import type { ServiceAnswer } from './http.ts';

/** What a call tried to do, and the secrets that must not appear in its error even if the service repeats them. */
export type AttemptedCall = { readonly action: string; readonly secrets: readonly string[] };

/** Creates the errors for failed calls. A refusal names all `scopes` in the log, as the interface does not say which one it needs. */
export function makeFailures(deps: { serviceName: string; scopes: readonly string[] }) {
  const words = (kind: ServiceErrorKind, retryAfterSeconds: number | null): string => {
    const later = retryAfterSeconds === null ? 'in a few minutes' : `in ${waitIn(retryAfterSeconds)}`;
    return sentences[kind](deps.serviceName, later);
  };
  const askedFor = `; scopes asked for: ${deps.scopes.join(', ') || 'none'}`;

  return {
    /** Creates the error for an unsuccessful answer. */
    fromAnswer(
      attempt: AttemptedCall,
      answer: ServiceAnswer,
      kind: ServiceErrorKind = kindOf(answer.status),
    ): ServiceError {
      const retryAfterSeconds = retryAfter(answer.headers);
      const said = shortPlainText(answer, attempt.secrets);
      return new ServiceError({
        kind,
        status: answer.status,
        retryAfterSeconds,
        forPerson: words(kind, retryAfterSeconds) + (said === null ? '' : ` It said: “${said}”`),
        forLog: `${attempt.action}: answered ${answer.status} (${kind}${kind === 'forbidden' ? askedFor : ''})`,
      });
    },

    /** Creates the error for a success, or a redirect, that differs from the interface. `why` is for the log. */
    fromUnreadable(attempt: AttemptedCall, answer: ServiceAnswer, why: string): ServiceError {
      return new ServiceError({
        kind: 'unreadable',
        status: answer.status,
        retryAfterSeconds: null,
        forPerson: words('unreadable', null),
        forLog: `${attempt.action}: answered ${answer.status}, ${why} (unreadable)`,
      });
    },

    /** Creates the error for what a request threw: no connection, a timeout, or an answer without an end. */
    fromThrown(attempt: AttemptedCall, thrown: unknown): ServiceError {
      if (thrown instanceof ServiceError) return thrown;
      const kind = thrown instanceof RangeError ? 'unreadable' : 'unavailable';
      return new ServiceError({
        kind,
        status: null,
        retryAfterSeconds: null,
        forPerson: words(kind, null),
        forLog: `${attempt.action}: no answer, ${causeOf(thrown)} (${kind})`,
      });
    },
  };
}

const kinds = new Map<number, ServiceErrorKind>([
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not-found'],
  [408, 'unavailable'],
  [409, 'conflict'],
  [410, 'not-found'],
  [425, 'unavailable'],
  [429, 'rate-limited'],
]);

/** Maps a status to a kind of error by its meaning in HTTP, since the interface documents no error statuses. */
export function kindOf(status: number): ServiceErrorKind {
  const known = kinds.get(status);
  if (known !== undefined) return known;
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'invalid' : 'unreadable';
}

/** What a person reads, by the kind of a failure. `later`: when to try again. */
const sentences: Readonly<Record<ServiceErrorKind, (service: string, later: string) => string>> = {
  unauthorized: (service) => `Your link to ${service} no longer works. Link again.`,
  forbidden: (service) =>
    `Your account at ${service} isn’t allowed to do this. It needs at least read permission there.`,
  'not-found': (service) => `I couldn’t find this at ${service}, or your account can’t see it. Check the id.`,
  conflict: (service) =>
    `This conflicts with something that already exists at ${service}. Check there, then try again.`,
  invalid: (service) => `This request wasn’t accepted by ${service}. Check the ids.`,
  'rate-limited': (service, later) => `Too many requests for ${service}. Try again ${later}.`,
  unavailable: (service, later) => `I got no usable answer from ${service}. Try again ${later}.`,
  unreadable: (service) =>
    `I can’t read the answer from ${service}. Ask your Plancast admin to look at the log.`,
  'invalid-grant': (service) => `Your permission at ${service} has ended. Link again.`,
  denied: (service) => `You didn’t allow access at ${service}. Nothing was linked.`,
};

function waitIn(seconds: number): string {
  if (seconds < 120) return `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

const longestWait = 24 * 60 * 60;

/** Returns the seconds of a `Retry-After` header. A date is compared with the answer's own `Date`, so that no local clock is involved. */
function retryAfter(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^[0-9]{1,15}$/.test(value)) return Math.min(Number(value), longestWait);
  // `Date.parse` would also accept "1.5" as a date.
  if (!/[a-z]{3}/i.test(value)) return null;
  const seconds = Math.ceil((Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), longestWait);
}

const longestSaid = 200;

/** Returns what the service wrote if it is a short line for people: no JSON, HTML, URL or secret that was sent. */
function shortPlainText(answer: ServiceAnswer, secrets: readonly string[]): string | null {
  const type = answer.headers.get('content-type') ?? 'text/plain';
  if (!/^text\/plain\b/i.test(type) || answer.text.length > longestSaid * 2) return null;
  const text = answer.text.trim().replace(/\s+/g, ' ');
  const isForPeople =
    text.length <= longestSaid && /\p{L}/u.test(text) && !/[\p{C}<>{}[\]]|:\/\//u.test(text);
  if (!isForPeople || secrets.some((secret) => secret !== '' && text.includes(secret))) return null;
  return text;
}

/** Returns the code or name of the innermost cause. Never its message: undici writes header values into some messages. */
function causeOf(thrown: unknown): string {
  const chain: string[] = [];
  for (let error = thrown; error instanceof Error && chain.length < 5; error = error.cause) {
    const code = (error as { code?: unknown }).code;
    chain.push(typeof code === 'string' ? code : error.name);
  }
  return chain.at(-1) ?? 'unknown cause';
}
