import type { Installation } from '@slack/oauth';
import { WebAPIPlatformError, WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Exchange, Installed } from '../../core/installing/finish-install.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import { scopesWith } from '../scopes.ts';
import { installationId, type SlackApp, storeInstallation } from './installations.ts';

/** A bot token that expires, with the refresh token for the next one. */
export type RotatedToken = {
  readonly token: string;
  readonly refreshToken: string;
  /** In seconds since the epoch, as @slack/oauth stores it. */
  readonly expiresAt: number;
};

/** How long a token lives if Slack's response does not say, according to its docs on token rotation. */
const usualLifeSeconds = 43_200;

const placeSchema = z
  .object({
    id: z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/),
    name: z.string().optional().catch(undefined),
  })
  .transform(({ id, name }) => (name === undefined ? { id } : { id, name }))
  .nullish()
  .catch(undefined);

/** What the bot needs of Slack's answer to a code. With less it could be stored, and would work nowhere. */
const grantSchema = z
  .object({
    access_token: z.string().min(1),
    token_type: z.literal('bot').optional(),
    bot_user_id: z.string().min(1),
    team: placeSchema,
    enterprise: placeSchema,
    is_enterprise_install: z.boolean().nullish(),
    app_id: z.string().optional().catch(undefined),
    authed_user: z.object({ id: z.string() }).nullish().catch(undefined),
    scope: z.string().nullish(),
    refresh_token: z.string().nullish(),
    expires_in: z.unknown().optional(),
  })
  .refine((grant) => (grant.is_enterprise_install ? grant.enterprise : grant.team), { path: ['team'] });

// Slack's OAuth flow for installations. Results have the shape of `Installation` in @slack/oauth, which has been stored since the first
// release. Its `InstallProvider` is not used: it answers a cancel with 500, and refreshes tokens without a lock.

/** Returns the URL of Slack's page that asks an admin to approve the installation. */
export function authorizeUrl(
  { clientId, redirectUri, authorizationUrl, ...app }: SlackApp,
  state: string,
): string {
  const url = new URL(authorizationUrl);
  url.search = new URLSearchParams({
    scope: scopesWith(app).join(','),
    state,
    client_id: clientId,
    redirect_uri: redirectUri,
  }).toString();
  return url.href;
}

/** Exchanges the code that Slack sent back with the browser for the bot's tokens, and stores them. Throws only if storing fails. */
export async function exchangeCode(app: SlackApp, code: string): Promise<Exchange> {
  let installation: Installation;
  try {
    installation = await installationFor(app, code);
  } catch (cause) {
    return { outcome: isRefusal(cause) ? 'refused' : 'unavailable', cause };
  }
  await storeInstallation(app, installation);
  return { outcome: 'installed', installed: installedIn(installation) };
}

/** Throws the client's errors, and an error for an unusable answer. */
async function installationFor(app: SlackApp, code: string): Promise<Installation<'v2'>> {
  const read = grantSchema.safeParse(await askForToken(app, { code, redirect_uri: app.redirectUri }));
  if (!read.success) {
    const fields = read.error.issues.map(({ path }) => path.join('.')).join(', ');
    throw new Error(`Slack returned no installation: ${fields}`);
  }
  const grant = read.data;
  const own = await new WebClient(grant.access_token, app.clientOptions).auth.test();
  if (isElsewhere(grant, own)) throw new Error('Slack returned a token of another workspace');
  return {
    team: grant.team ?? undefined,
    enterprise: grant.enterprise ?? undefined,
    user: { token: undefined, scopes: undefined, id: grant.authed_user?.id ?? '' },
    tokenType: 'bot',
    isEnterpriseInstall: grant.is_enterprise_install ?? false,
    ...(grant.app_id === undefined ? {} : { appId: grant.app_id }),
    ...(grant.is_enterprise_install && own.url ? { enterpriseUrl: own.url } : {}),
    authVersion: 'v2',
    bot: {
      scopes: grant.scope?.split(',') ?? [],
      userId: grant.bot_user_id,
      id: own.bot_id ?? '',
      token: grant.access_token,
      ...(rotationIn(app, grant) ?? {}),
    },
  };
}

/** Exchanges a refresh token, which uses it up. Throws the client's errors. */
export async function refresh(app: SlackApp, refreshToken: string): Promise<RotatedToken> {
  const answer = await askForToken(app, { grant_type: 'refresh_token', refresh_token: refreshToken });
  if (!answer.access_token) throw new Error('Slack returned no token for a refresh token');
  // If there is no new refresh token, the old one stays valid (RFC 6749, section 6).
  const kept = { refreshToken, expiresAt: secondsNow(app) + usualLifeSeconds };
  return { token: answer.access_token, ...kept, ...rotationIn(app, answer) };
}

type TokenGrant =
  | { readonly code: string; readonly redirect_uri: string }
  | { readonly grant_type: 'refresh_token'; readonly refresh_token: string };

function askForToken({ clientId, clientSecret, clientOptions }: SlackApp, grant: TokenGrant) {
  const credentials = { client_id: clientId, client_secret: clientSecret };
  return new WebClient(undefined, clientOptions).oauth.v2.access({ ...credentials, ...grant });
}

/** Reads the rotated tokens. A bad lifetime never discards a new refresh token, because the old one is used up. */
function rotationIn(app: SlackApp, answer: Rotating): Omit<RotatedToken, 'token'> | undefined {
  const { refresh_token: refreshToken, expires_in: life } = answer;
  if (!refreshToken) return undefined;
  const isTime = typeof life === 'number' && life > 0;
  return { refreshToken, expiresAt: secondsNow(app) + (isTime ? life : usualLifeSeconds) };
}

function secondsNow({ clock }: SlackApp): number {
  return Math.floor(clock.now().getTime() / 1_000);
}

/** The fields of an answer that say whether and when the token expires. */
type Rotating = { readonly refresh_token?: string | null | undefined; readonly expires_in?: unknown };

/**
 * Whether a token belongs to another workspace or organization than it was granted for. One's messages could be posted in the other.
 * `tested`: what Slack says about the token; it is believed if it names neither.
 */
function isElsewhere(
  { is_enterprise_install: isOrganization, team, enterprise }: z.infer<typeof grantSchema>,
  tested: { readonly team_id?: string; readonly enterprise_id?: string },
): boolean {
  const [granted, found] = isOrganization
    ? [enterprise?.id, tested.enterprise_id]
    : [team?.id, tested.team_id];
  return typeof found === 'string' && found !== granted;
}

/** Whether Slack rejected the code; false if it failed for a while, or something else than Slack answered. */
function isRefusal(cause: unknown): boolean {
  if (!(cause instanceof WebAPIPlatformError)) return false;
  const outcome = outcomeOf(cause);
  return outcome.kind === 'perhaps' ? outcome.unknown === true : outcome.kind !== 'wait';
}

function installedIn(installation: Installation): Installed {
  const { isEnterpriseInstall, enterprise, team, appId, user } = installation;
  return {
    kind: isEnterpriseInstall ? 'organization' : 'workspace',
    id: installationId(installation),
    name: (isEnterpriseInstall ? enterprise?.name : team?.name) ?? null,
    appId: appId ?? null,
    userId: user.id,
  };
}
