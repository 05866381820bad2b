import type { Installation } from '@slack/oauth';
import { WebAPIPlatformError, WebClient, type WebClientOptions } from '@slack/web-api';
import { z } from 'zod';
import type { Exchange, Installed } from '../../core/installing/finish-install.ts';
import { outcomeOf } from '../posting/post-outcomes.ts';
import { optionalScopes, requiredScopes } from '../scopes.ts';
import { installationId } from './installations.ts';

/** A bot token that expires, with the refresh token for the next one. */
type RotatedToken = {
  readonly token: string;
  readonly refreshToken: string;
  /** In seconds since the epoch, as @slack/oauth stores it. */
  readonly expiresAt: number;
};

type SlackOAuthOptions = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Slack's page that asks an admin to approve the installation. */
  readonly authorizationUrl: string;
  readonly clientOptions: WebClientOptions;
  readonly now: () => Date;
};

/** How long a token lives if Slack's response does not say, according to its docs on token rotation. */
const usualLifeSeconds = 43_200;

const placeSchema = z
  .object({
    id: z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/),
    name: z.string().optional().catch(undefined),
  })
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

/**
 * Slack's OAuth flow for installations. Results have the shape of `Installation` in @slack/oauth, which has been stored since the first
 * release. Its `InstallProvider` is not used: it answers a cancel with 500, and refreshes tokens without a lock.
 */
export function makeSlackOAuth({ clientId, clientSecret, clientOptions, ...options }: SlackOAuthOptions) {
  const client = new WebClient(undefined, clientOptions);
  const credentials = { client_id: clientId, client_secret: clientSecret };
  const seconds = () => Math.floor(options.now().getTime() / 1_000);

  return {
    /** Returns the URL of Slack's page that asks an admin to approve the installation. */
    authorizeUrl(state: string): string {
      const url = new URL(options.authorizationUrl);
      url.search = new URLSearchParams({
        scope: [...requiredScopes, ...optionalScopes].join(','),
        state,
        client_id: clientId,
        redirect_uri: options.redirectUri,
      }).toString();
      return url.href;
    },

    /** Exchanges the code that Slack sent back with the browser. Throws the client's errors, and an error for an unusable answer. */
    async exchange(code: string): Promise<Installation<'v2'>> {
      const read = grantSchema.safeParse(
        await client.oauth.v2.access({ ...credentials, code, redirect_uri: options.redirectUri }),
      );
      if (!read.success) {
        const fields = read.error.issues.map(({ path }) => path.join('.')).join(', ');
        throw new Error(`Slack returned no installation: ${fields}`);
      }
      const grant = read.data;
      const own = await new WebClient(grant.access_token, clientOptions).auth.test();
      if (isElsewhere(grant, own)) throw new Error('Slack returned a token of another workspace');
      return {
        team: named(grant.team),
        enterprise: named(grant.enterprise),
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
          ...(rotationIn(grant) ?? {}),
        },
      };
    },

    /** Exchanges a refresh token, which uses it up. Throws the client's errors. */
    async refresh(refreshToken: string): Promise<RotatedToken> {
      const answer = await client.oauth.v2.access({
        ...credentials,
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
      });
      if (!answer.access_token) throw new Error('Slack returned no token for a refresh token');
      const rotated = rotationIn(answer);
      // If there is no new refresh token, the old one stays valid (RFC 6749, section 6).
      return {
        token: answer.access_token,
        refreshToken,
        expiresAt: seconds() + usualLifeSeconds,
        ...rotated,
      };
    },
  };

  /** Reads the rotated tokens. A bad lifetime never discards a new refresh token, because the old one is used up. */
  function rotationIn(answer: Rotating): Omit<RotatedToken, 'token'> | undefined {
    const { refresh_token: refreshToken, expires_in: life } = answer;
    if (!refreshToken) return undefined;
    const isTime = typeof life === 'number' && life > 0;
    return { refreshToken, expiresAt: seconds() + (isTime ? life : usualLifeSeconds) };
  }
}

export type SlackOAuth = ReturnType<typeof makeSlackOAuth>;

/** The fields of an answer that say whether and when the token expires. */
type Rotating = { readonly refresh_token?: string | null | undefined; readonly expires_in?: unknown };

function named(found: z.output<typeof placeSchema>): { id: string; name?: string } | undefined {
  if (!found) return undefined;
  return { id: found.id, ...(found.name === undefined ? {} : { name: found.name }) };
}

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

/** Exchanges an installation's code for a token and stores the result. Throws only if storing fails. */
export function makeExchangeCode(deps: {
  readonly oauth: Pick<SlackOAuth, 'exchange'>;
  readonly store: (installation: Installation) => Promise<void>;
}) {
  return async (code: string): Promise<Exchange> => {
    let installation: Installation;
    try {
      installation = await deps.oauth.exchange(code);
    } catch (cause) {
      return { outcome: isRefusal(cause) ? 'refused' : 'unavailable', cause };
    }
    await deps.store(installation);
    return { outcome: 'installed', installed: installedIn(installation) };
  };
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
