import { z } from 'zod';
import type { Grant } from '../core/model/link.ts';
import type { ServiceErrorKind } from '../core/model/service-error.ts';
import { later } from '../lib/durations.ts';
import { parseJson } from '../lib/text.ts';
import { kindOf } from './errors.ts';
import { isSuccess, type ServiceAnswer } from './http.ts';
import { optionalText } from './shapes.ts';

/** Faults in the bot's own setup never count as a dead link. */
const kinds = new Map<string, ServiceErrorKind>([
  ['invalid_grant', 'invalid-grant'],
  ['access_denied', 'denied'],
  ['invalid_client', 'forbidden'],
  ['unauthorized_client', 'forbidden'],
  ['invalid_scope', 'forbidden'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/** Returns what an `error` means for the bot. */
export function oauthErrorKind(error: string): ServiceErrorKind {
  return kinds.get(error) ?? 'invalid';
}

/**
 * Returns the implied `error` of a token endpoint refusal that names none; null if the status says enough. Our request always has the same
 * form, so a 400 means that the grant is no longer valid; a 401 or 403 is about the bot, not about a person's token.
 */
export function impliedError(status: number): string | null {
  if (status === 400) return 'invalid_grant';
  if (status === 401 || status === 403) return 'invalid_client';
  return isRefusal(status) ? 'invalid_request' : null;
}

/** Whether a status is a permanent refusal, not a request to retry later. */
function isRefusal(status: number): boolean {
  const kind = kindOf(status);
  return status >= 400 && kind !== 'rate-limited' && kind !== 'unavailable';
}

const notSetUp = (service: string) =>
  `Plancast isn’t set up correctly at ${service}. Ask your Plancast admin to fix its registration.`;
const notAccepted = (service: string) =>
  `Plancast’s request for access wasn’t accepted at ${service}. Nothing was linked.`;

/** What a person reads, by the values in RFC 6749, 4.1.2.1 and 5.2, since the interface documents none, and by our own. */
const sentences: Readonly<Record<string, (service: string) => string>> = {
  access_denied: (service) => `You didn’t allow access at ${service}. Nothing was linked.`,
  server_error: (service) => `Something went wrong at ${service}. Try again in a few minutes.`,
  temporarily_unavailable: (service) =>
    `There’s too much traffic at ${service} right now. Try again in a few minutes.`,
  invalid_grant: (service) =>
    `Your approval at ${service} expired before Plancast could use it. Nothing was linked.`,
  invalid_scope: (service) =>
    `Plancast asks for permissions that ${service} doesn’t offer. Ask your Plancast admin to fix SERVICE_SCOPES.`,
  invalid_client: notSetUp,
  unauthorized_client: notSetUp,
  invalid_request: notAccepted,
  unsupported_response_type: notAccepted,
  unsupported_grant_type: notAccepted,
  state_mismatch: () => 'This sign-in didn’t start here. Nothing was linked.',
  unreadable_callback: (service) => `Plancast couldn’t read the answer from ${service}. Nothing was linked.`,
};

/** Explains an `error` to the person; quotes one that is not known. */
export function describeOAuthError(error: string, serviceName: string): string {
  const known = Object.hasOwn(sentences, error) ? sentences[error] : undefined;
  if (known) return known(serviceName);
  return `Your account couldn’t be linked: the answer from ${serviceName} was “${printable(error)}”.`;
}

/** Returns a word from outside, safe to show and log. */
export function printable(word: string): string {
  return word.replace(/[^\x20-\x7e]|["<>&]/g, '').slice(0, 60);
}

/** Lifetimes in seconds. Service interface, limits: access tokens live 60 minutes, refresh tokens 60 days. */
const longestAccessLifetime = 60 * 60;
const longestRefreshLifetime = 60 * 24 * 60 * 60;
/** Longest email address (RFC 5321). */
const longestAccount = 320;

/**
 * Brings an answer into the form that oauth4webapi expects. Removes lifetimes, since an invalid one would make it discard the new refresh
 * token, and fields that it would validate but nobody uses. A refusal with an `error` becomes a 400 with only that; any other failure keeps
 * only its status.
 */
export function normalized(answer: ServiceAnswer): Response {
  const json = tokenFields.safeParse(parseJson(answer.text)).data;
  const isRefused = isSuccess(answer) ? json?.access_token === null : isRefusal(answer.status);
  if (json?.error && isRefused) return Response.json({ error: json.error }, { status: 400 });
  if (!isSuccess(answer)) return new Response(null, { status: answer.status });
  return Response.json({
    access_token: json?.access_token ?? '',
    token_type: json?.token_type?.trim() ?? 'bearer',
    ...(json?.refresh_token ? { refresh_token: json.refresh_token } : {}),
  });
}

const secretText = z.string().nullable().catch(null);
const seconds = z
  .union([z.number(), z.string().trim().min(1).transform(Number)])
  .transform((value) => (value > 0 ? value : null))
  .nullable()
  .catch(null);
const instant = z
  .string()
  .transform((text) => Date.parse(text))
  .catch(Number.NaN);

/** The fields read from an answer of the token endpoint. A malformed field counts as missing. */
export const tokenFields = z.object({
  access_token: secretText,
  refresh_token: secretText,
  token_type: secretText,
  expires_in: seconds,
  refresh_token_expires_in: seconds,
  userName: optionalText(longestAccount),
  '.issued': instant,
  '.expires': instant,
  error: secretText,
});

/** Reads the tokens. A lifetime, from `now` on, that is missing or longer than the service allows becomes the longest it allows. */
export function tokensOf(fields: z.infer<typeof tokenFields>, now: Date): Grant {
  const issuedToExpires = (fields['.expires'] - fields['.issued']) / 1000;
  const accessLifetimeSeconds = Math.min(
    fields.expires_in ?? (issuedToExpires > 0 ? issuedToExpires : longestAccessLifetime),
    longestAccessLifetime,
  );
  const refreshLifetimeSeconds = Math.min(
    fields.refresh_token_expires_in ?? longestRefreshLifetime,
    longestRefreshLifetime,
  );
  const refreshToken = fields.refresh_token || null;
  return {
    accessToken: fields.access_token ?? '',
    refreshToken,
    accessExpiresAt: later(now, accessLifetimeSeconds * 1000),
    refreshExpiresAt: refreshToken === null ? null : later(now, refreshLifetimeSeconds * 1000),
    account: fields.userName?.trim() ?? null,
  };
}
