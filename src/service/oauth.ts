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
import type { Grant } from '../core/model/link.ts';
import { ServiceError, type ServiceErrorKind } from '../core/model/service-error.ts';
import { parseJson } from '../lib/text.ts';
import { type AttemptedCall, makeFailures } from './errors.ts';
import { isSuccess, readAnswer, type ServiceAnswer } from './http.ts';
import {
  describeOAuthError,
  impliedError,
  normalized,
  oauthErrorKind,
  printable,
  tokenFields,
  tokensOf,
} from './token-answer.ts';

export type ServiceOAuthDeps = {
  /** The interface's `{auth_url}`, without a trailing slash. Settings allow http for this machine only. */
  readonly authUrl: string;
  /** The interface's `{base_url}`: an `iss` in a callback may name its host as well as that of `authUrl`. */
  readonly baseUrl?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Exactly as registered at the service. */
  readonly redirectUri: string;
  readonly serviceName?: string | undefined;
  readonly now: () => Date;
  /** Timeout for one request including its answer; 10,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The same for renewing tokens, for which nobody waits in front of a browser; `timeoutMs` by default. */
  readonly refreshTimeoutMs?: number | undefined;
};

/** What a link attempt stores until its callback. The verifier is a secret. */
type OauthAttempt = { readonly state: string; readonly codeVerifier: string };

export type OauthCallback =
  /** Pass these to `exchange` unchanged: they contain the authorization code, and oauth4webapi marks them as checked. */
  | { readonly kind: 'code'; readonly callbackParameters: URLSearchParams }
  /**
   * `error` is the service's code, `state_mismatch` or `unreadable_callback`; `means` is what it means for the bot; `description` is one
   * or two sentences for the person.
   */
  | {
      readonly kind: 'error';
      readonly error: string;
      readonly means: ServiceErrorKind;
      readonly description: string;
    };

export type ServiceOAuth = ReturnType<typeof makeServiceOAuth>;

/**
 * Creates the OAuth client for the service: the authorization code flow with PKCE (a service that does not know PKCE ignores it) and token
 * refresh. `exchange` and `refresh` throw only `ServiceError`; they send one request and follow no redirects.
 */
export function makeServiceOAuth(deps: ServiceOAuthDeps) {
  const serviceName = deps.serviceName ?? 'the collaboration service';
  const { authUrl: address, clientId, redirectUri, now } = deps;
  const { timeoutMs = 10_000, refreshTimeoutMs = timeoutMs } = deps;
  const scope = deps.scopes.join(' ');
  const server: AuthorizationServer = { issuer: address, token_endpoint: `${address}/auth/token` };
  const client: Client = { client_id: clientId };
  const clientAuthentication = ClientSecretPost(deps.clientSecret);
  const failures = makeFailures({ serviceName, scopes: deps.scopes });
  const knownHosts = [deps.authUrl, deps.baseUrl ?? deps.authUrl].map((known) => new URL(known).host);

  /** Sends one token request through oauth4webapi and passes the normalized answer to `judge`, which throws if it has no tokens. */
  async function requestTokens(
    attempt: AttemptedCall,
    signal: AbortSignal,
    request: (options: RequestOptions) => Promise<Response>,
    judge: (response: Response) => Promise<unknown>,
  ): Promise<Grant> {
    const answers: ServiceAnswer[] = [];
    try {
      const response = await request({
        signal,
        [allowInsecureRequests]: address.startsWith('http:'),
        [customFetch]: async (url, init) => {
          const answer = await readAnswer(await fetch(url, init as RequestInit));
          answers.push(answer);
          return normalized(answer);
        },
      });
      await judge(response);
    } catch (error) {
      throw failureOf(attempt, error, answers[0]);
    }
    return tokensOf(tokenFields.parse(parseJson(answers[0]?.text ?? '{}')), now());
  }

  function failureOf(
    attempt: AttemptedCall,
    thrown: unknown,
    answer: ServiceAnswer | undefined,
  ): ServiceError {
    if (answer === undefined) return failures.fromThrown(attempt, thrown);
    if (isSuccess(answer) && !(thrown instanceof ResponseBodyError)) {
      return failures.fromUnreadable(attempt, answer, 'without tokens');
    }
    const error = thrown instanceof ResponseBodyError ? thrown.error : impliedError(answer.status);
    if (error === null) return failures.fromAnswer(attempt, answer);
    const word = attempt.secrets.some((secret) => secret !== '' && error.includes(secret))
      ? 'unknown'
      : error;
    const kind = oauthErrorKind(word);
    const failure = failures.fromAnswer(attempt, answer, kind);
    return new ServiceError({
      ...failure,
      forPerson: kind === 'invalid-grant' ? failure.forPerson : describeOAuthError(word, serviceName),
      // A word of OAuth, not what else a service may write there.
      forLog: `${failure.forLog}: ${/^[a-z_]{1,60}$/.test(word) ? word : 'another error'}`,
    });
  }

  return {
    /** Creates a fresh state and PKCE verifier, 256 random bits each. */
    newAttempt(): OauthAttempt {
      return { state: generateRandomState(), codeVerifier: generateRandomCodeVerifier() };
    },

    /** Builds the URL where the person grants access in the browser. */
    async authorizationUrl({ state, codeVerifier }: OauthAttempt): Promise<URL> {
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
      // `+` means a space only in forms; every server understands `%20` in a query.
      url.search = query.toString().replaceAll('+', '%20');
      return url;
    },

    /** Reads the service's redirect. Never throws: every fault gets a sentence for the person. */
    readCallback(searchParams: URLSearchParams, expectedState: string): OauthCallback {
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

    /** Exchanges the code of a callback for tokens. */
    exchange(granted: { callbackParameters: URLSearchParams; codeVerifier: string }): Promise<Grant> {
      const { callbackParameters, codeVerifier } = granted;
      const attempt = {
        action: 'exchange an authorization code',
        secrets: [callbackParameters.get('code') ?? '', codeVerifier, deps.clientSecret],
      };
      return requestTokens(
        attempt,
        AbortSignal.timeout(timeoutMs),
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

    /** Exchanges a refresh token. After an `unavailable` or `unreadable` error it is unknown whether it was used up. */
    refresh(refreshToken: string): Promise<Grant> {
      const attempt = { action: 'refresh tokens', secrets: [refreshToken, deps.clientSecret] };
      return requestTokens(
        attempt,
        AbortSignal.timeout(refreshTimeoutMs),
        (options) => refreshTokenGrantRequest(server, client, clientAuthentication, refreshToken, options),
        (response) => processRefreshTokenResponse(server, client, response),
      );
    },
  };
}

type RequestOptions = NonNullable<Parameters<typeof refreshTokenGrantRequest>[4]>;

function callbackError(error: string, serviceName: string): OauthCallback {
  const word = printable(error);
  const description = describeOAuthError(word, serviceName);
  return { kind: 'error', error: word, means: oauthErrorKind(word), description };
}
