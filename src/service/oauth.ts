import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import { z } from 'zod';
import { ServiceError, type ServiceErrorKind } from '../core/model/service-error.ts';
import { isLoopback, serviceAddress } from './addresses.ts';
import { type Attempt, kindOf, makeFailures } from './errors.ts';
import { type Answer, isSuccess, jsonOf, readAnswer } from './read-answer.ts';
import { optionalText } from './shapes.ts';

/** Service interface, limits: access tokens live 60 minutes, refresh tokens 60 days. */
const longestAccessLifetime = 60 * 60;
const longestRefreshLifetime = 60 * 24 * 60 * 60;
/** Longest address by RFC 5321. */
const longestAccount = 320;

export type ServiceOAuthDeps = {
  /** `{auth_url}` of the interface. */
  readonly authUrl: string;
  /** `{base_url}`: an `iss` in a callback may name its host as well as that of `authUrl`. */
  readonly baseUrl?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Exactly as registered at the service. */
  readonly redirectUri: string;
  readonly serviceName?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly now: () => Date;
  /** For one request and its answer. Ten seconds. */
  readonly limitMilliseconds?: number | undefined;
};

/** What an attempt to link keeps until its callback. The verifier is a secret. */
export type LinkAttempt = { readonly state: string; readonly codeVerifier: string };

export type Callback =
  /** To be handed to `exchange` as it is: it holds the authorization code, and that its state was checked. */
  | { readonly kind: 'code'; readonly callbackParameters: URLSearchParams }
  /** `error` is the service's word, `state_mismatch` or `unreadable_callback`; `description` a sentence for the person. */
  | { readonly kind: 'error'; readonly error: string; readonly description: string };

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

export type ServiceOAuth = ReturnType<typeof makeServiceOAuth>;

/**
 * OAuth with the service: the authorization code flow with PKCE (a service that does not know PKCE ignores it) and the refresh of
 * tokens. `exchange` and `refresh` throw a `ServiceError`; they ask once and follow no redirect.
 */
export function makeServiceOAuth(deps: ServiceOAuthDeps) {
  const address = serviceAddress(deps.authUrl);
  const serviceName = deps.serviceName ?? 'the collaboration service';
  const { clientId, redirectUri, now, limitMilliseconds = 10_000 } = deps;
  const scope = deps.scopes.join(' ');
  const server: AuthorizationServer = { issuer: address, token_endpoint: `${address}/auth/token` };
  const client: Client = { client_id: clientId };
  const clientAuthentication = ClientSecretPost(deps.clientSecret);
  const failures = makeFailures({ serviceName, scopes: deps.scopes });
  const knownHosts = [deps.authUrl, deps.baseUrl ?? deps.authUrl].map((known) => new URL(known).host);

  /** Sends one token request through oauth4webapi and passes the tidied answer to `judge`, which throws if it has no tokens. */
  async function requestTokens(
    attempt: Attempt,
    request: (options: RequestOptions) => Promise<Response>,
    judge: (response: Response) => Promise<unknown>,
  ): Promise<Tokens> {
    const answers: Answer[] = [];
    const signal = AbortSignal.timeout(limitMilliseconds);
    try {
      const response = await request({
        signal,
        [allowInsecureRequests]: isLoopback(new URL(address)),
        [customFetch]: async (url, init) => {
          const answer = await readAnswer(await (deps.fetch ?? fetch)(url, init as RequestInit));
          answers.push(answer);
          return tidied(answer);
        },
      });
      await judge(response);
    } catch (error) {
      throw failureOf(attempt, error, answers[0]);
    }
    return tokensOf(tokenFields.parse(answers[0] === undefined ? {} : jsonOf(answers[0])), now());
  }

  function failureOf(attempt: Attempt, thrown: unknown, answer: Answer | undefined): ServiceError {
    if (answer === undefined) return failures.fromThrown(attempt, thrown);
    if (isSuccess(answer) && !(thrown instanceof ResponseBodyError)) {
      return failures.fromUnreadable(attempt, answer, 'without tokens');
    }
    const error = thrown instanceof ResponseBodyError ? thrown.error : impliedError(answer.status);
    if (error === null) return failures.fromAnswer(attempt, answer);
    const word = attempt.secrets.some((secret) => secret !== '' && error.includes(secret))
      ? 'unknown'
      : error;
    const kind = tokenErrorKinds.get(word) ?? 'invalid';
    const failure = failures.fromAnswer(attempt, answer, kind);
    return new ServiceError({
      ...failure,
      forPerson: kind === 'invalid-grant' ? failure.forPerson : describeOAuthError(word, serviceName),
      forLog: `${failure.forLog}: ${quoted(word)}`,
    });
  }

  return {
    /** A fresh state and PKCE verifier, 256 random bits each. */
    newAttempt(): LinkAttempt {
      return { state: generateRandomState(), codeVerifier: generateRandomCodeVerifier() };
    },

    /** Where the person's browser is sent to grant access. */
    async authorizationUrl({ state, codeVerifier }: LinkAttempt): Promise<URL> {
      const url = new URL(`${address}/auth/oauth/authorize`);
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      // A space is `+` in forms alone; in the query of an address every server reads `%20`.
      url.search = query.toString().replaceAll('+', '%20');
      return url;
    },

    /** Reads what the service's redirect brought. Never throws: whatever is wrong with it has a sentence for the person. */
    readCallback(searchParams: URLSearchParams, expectedState: string): Callback {
      if (searchParams.getAll('state').length !== 1 || searchParams.get('state') !== expectedState) {
        return callbackError('state_mismatch', serviceName);
      }
      try {
        // The service's issuer name is not documented; if one is returned, it must at least be on a host of the service.
        const issuer = searchParams.get('iss');
        const isOurs = issuer !== null && knownHosts.includes(URL.parse(issuer)?.host ?? '');
        const named = isOurs ? { ...server, issuer } : server;
        const callbackParameters = validateAuthResponse(named, client, searchParams, expectedState);
        const codes = callbackParameters.getAll('code');
        if (codes.length !== 1 || !codes[0]) return callbackError('unreadable_callback', serviceName);
        return { kind: 'code', callbackParameters };
      } catch (error) {
        const isFromService = error instanceof AuthorizationResponseError;
        return callbackError(isFromService ? error.error : 'unreadable_callback', serviceName);
      }
    },

    /** Trades the code of a callback for tokens. */
    exchange(granted: { callbackParameters: URLSearchParams; codeVerifier: string }): Promise<Tokens> {
      const { callbackParameters, codeVerifier } = granted;
      const attempt = {
        action: 'exchange an authorization code',
        secrets: [callbackParameters.get('code') ?? '', codeVerifier, deps.clientSecret],
      };
      return requestTokens(
        attempt,
        (options) =>
          authorizationCodeGrantRequest(
            server,
            client,
            clientAuthentication,
            callbackParameters,
            redirectUri,
            codeVerifier,
            options,
          ),
        (response) => processAuthorizationCodeResponse(server, client, response),
      );
    },

    /**
     * Exchanges a refresh token, which is then used up, for new tokens. After an `unavailable` or `unreadable` it is unknown whether it
     * was used up.
     */
    refresh(refreshToken: string): Promise<Tokens> {
      const attempt = { action: 'refresh tokens', secrets: [refreshToken, deps.clientSecret] };
      return requestTokens(
        attempt,
        (options) => refreshTokenGrantRequest(server, client, clientAuthentication, refreshToken, options),
        (response) => processRefreshTokenResponse(server, client, response),
      );
    },
  };
}

type RequestOptions = NonNullable<Parameters<typeof refreshTokenGrantRequest>[4]>;

/** What an error of the token endpoint means to the bot. The bot's own faults are never taken for a dead link. */
const tokenErrorKinds = new Map<string, ServiceErrorKind>([
  ['invalid_grant', 'invalid-grant'],
  ['access_denied', 'denied'],
  ['invalid_client', 'forbidden'],
  ['unauthorized_client', 'forbidden'],
  ['invalid_scope', 'forbidden'],
  ['server_error', 'unavailable'],
  ['temporarily_unavailable', 'unavailable'],
]);

/**
 * The implied `error` of a refusal of the token endpoint that names none; null if its status says enough. The form of the request is
 * always the same, so a 400 means that the grant is no longer valid; a 401 or 403 is about the bot, not about a person's token.
 */
function impliedError(status: number): string | null {
  if (status === 400) return 'invalid_grant';
  if (status === 401 || status === 403) return 'invalid_client';
  return isRefusal(status) ? 'invalid_request' : null;
}

/** Whether a status is a permanent refusal, not a request to retry later. */
function isRefusal(status: number): boolean {
  const kind = kindOf(status);
  return status >= 400 && kind !== 'rate-limited' && kind !== 'unavailable';
}

/** Values of `error` by RFC 6749, 4.1.2.1 and 5.2: the interface shows none. Any other is quoted. */
function describeOAuthError(error: string, serviceName: string): string {
  switch (error) {
    case 'access_denied':
      return `Access was not granted at ${serviceName}. Nothing was linked.`;
    case 'server_error':
      return `Something went wrong at ${serviceName}. Please try again in a few minutes.`;
    case 'temporarily_unavailable':
      return `There is too much going on at ${serviceName}. Please try again in a few minutes.`;
    case 'invalid_grant':
      return `What was granted at ${serviceName} has run out before it could be used. Please link again.`;
    case 'invalid_scope':
      return `The scopes this bot asks for are not taken by ${serviceName}. An admin of this bot can change them.`;
    case 'invalid_client':
    case 'unauthorized_client':
      return `This bot is not accepted by ${serviceName}. An admin of this bot can check how it is registered there.`;
    case 'invalid_request':
    case 'unsupported_response_type':
    case 'unsupported_grant_type':
      return `The way this bot asks for access is not taken by ${serviceName}. Please tell an admin of this bot.`;
    case 'state_mismatch':
      return 'This answer does not belong to a link that was started here. Please start again from Slack.';
    case 'unreadable_callback':
      return `The answer from ${serviceName} could not be understood. Please start again from Slack.`;
    default:
      return `Linking was refused by ${serviceName}, with ${quoted(error)}. Please start again from Slack.`;
  }
}

function callbackError(error: string, serviceName: string): Callback {
  const word = printable(error);
  return { kind: 'error', error: word, description: describeOAuthError(word, serviceName) };
}

function quoted(word: string): string {
  return `“${printable(word)}”`;
}

/** A word from outside, fit to be shown and logged. */
function printable(word: string): string {
  return word.replace(/[^\x20-\x7e]|["<>&]/g, '').slice(0, 60);
}

/**
 * The answer in the form oauth4webapi expects. Lifetimes are removed, since an invalid one would make it discard the new refresh
 * token; so are fields that it would validate and nobody here uses. An answer without tokens stays unchanged.
 */
function tidied(answer: Answer): Response {
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

const tokenFields = z.object({
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

function tokensOf(fields: z.infer<typeof tokenFields>, now: Date): Tokens {
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
    accessExpiresAt: new Date(now.getTime() + accessLifetimeSeconds * 1000),
    refreshExpiresAt: new Date(now.getTime() + refreshLifetimeSeconds * 1000),
    account: fields.userName?.trim() ?? null,
    scope: fields.scope,
  };
}
