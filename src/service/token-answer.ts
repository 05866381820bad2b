import { z } from 'zod';
import { later } from '../lib/durations.ts';
import { isRefusal } from './oauth-errors.ts';
import { isSuccess, jsonOf, type ServiceAnswer } from './read-answer.ts';
import { optionalText } from './shapes.ts';

/** Lifetimes in seconds. Service interface, limits: access tokens live 60 minutes, refresh tokens 60 days. */
const longestAccessLifetime = 60 * 60;
const longestRefreshLifetime = 60 * 24 * 60 * 60;
/** Longest email address (RFC 5321). */
const longestAccount = 320;

export type Tokens = {
  readonly accessToken: string;
  /** Undefined if none was returned; then the one that was used stays valid. */
  readonly refreshToken: string | undefined;
  readonly accessLifetimeSeconds: number;
  readonly refreshLifetimeSeconds: number;
  /** The same lifetimes as points in time, from the `now` that was passed in. */
  readonly accessExpiresAt: Date;
  readonly refreshExpiresAt: Date;
  /** The email address at the service of the person who granted access, or null. */
  readonly account: string | null;
  readonly scope: string | null;
};

/**
 * Brings an answer into the form that oauth4webapi expects. Removes lifetimes, since an invalid one would make it discard the new refresh
 * token, and fields that it would validate but nobody uses. A refusal with an `error` becomes a 400 with only that; any other failure keeps
 * only its status.
 */
export function normalized(answer: ServiceAnswer): Response {
  const json = tokenFields.safeParse(jsonOf(answer)).data;
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
  scope: optionalText(),
  '.issued': instant,
  '.expires': instant,
  error: secretText,
});

/** Reads the tokens from an answer. A lifetime that is missing, or longer than the service allows, becomes the longest it allows. */
export function tokensOf(fields: z.infer<typeof tokenFields>, now: Date): Tokens {
  const issuedToExpires = (fields['.expires'] - fields['.issued']) / 1000;
  const accessLifetimeSeconds = Math.min(
    fields.expires_in ?? (issuedToExpires > 0 ? issuedToExpires : longestAccessLifetime),
    longestAccessLifetime,
  );
  const refreshLifetimeSeconds = Math.min(
    fields.refresh_token_expires_in ?? longestRefreshLifetime,
    longestRefreshLifetime,
  );
  return {
    accessToken: fields.access_token ?? '',
    refreshToken: fields.refresh_token || undefined,
    accessLifetimeSeconds,
    refreshLifetimeSeconds,
    accessExpiresAt: later(now, accessLifetimeSeconds * 1000),
    refreshExpiresAt: later(now, refreshLifetimeSeconds * 1000),
    account: fields.userName?.trim() ?? null,
    scope: fields.scope,
  };
}
