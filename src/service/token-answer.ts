import { z } from 'zod';
import { later } from '../lib/durations.ts';
import { isRefusal } from './oauth-errors.ts';
import { isSuccess, jsonOf, type ServiceAnswer } from './read-answer.ts';
import { optionalText } from './shapes.ts';

/** Service interface, limits: access tokens live 60 minutes, refresh tokens 60 days. */
const longestAccessLifetime = 60 * 60;
const longestRefreshLifetime = 60 * 24 * 60 * 60;
/** Longest address by RFC 5321. */
const longestAccount = 320;

export type Tokens = {
  readonly accessToken: string;
  /** Undefined if none was returned; then the used one stays valid. */
  readonly refreshToken: string | undefined;
  readonly accessLifetimeSeconds: number;
  readonly refreshLifetimeSeconds: number;
  /** The same by the clock handed in. */
  readonly accessExpiresAt: Date;
  readonly refreshExpiresAt: Date;
  /** The service's e-mail address of who granted, or null. */
  readonly account: string | null;
  readonly scope: string | null;
};

/**
 * The answer in the form oauth4webapi expects. Lifetimes are removed, since an invalid one would make it discard the new refresh
 * token; so are fields that it would validate and nobody here uses. An answer without tokens stays unchanged.
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

/** What is read of an answer of the token endpoint. A field of another form counts as missing. */
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

/** The tokens of an answer. Lifetimes that are missing, or longer than the service has, are the longest it has. */
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
