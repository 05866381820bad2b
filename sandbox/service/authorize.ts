import type { PracticeData } from './data.ts';
import type { PracticeLog } from './log.ts';
import { grantPage, refusalPage } from './oauth-pages.ts';
import { type Received, single } from './received.ts';
import { json, type Reply } from './reply.ts';
import type { SwitchBoard } from './switches.ts';
import { ACCESS_TOKEN_MS, type Tokens } from './tokens.ts';

/** The app as registered at the service. */
export type Client = { id: string; secret: string; redirectUris: readonly string[] };

type Deps = {
  client: Client;
  data: PracticeData;
  switches: SwitchBoard;
  log: PracticeLog;
  tokens: Tokens;
  now: () => Date;
};

type Asked = {
  flow: 'code' | 'token';
  redirectUri: string;
  scope: string;
  state: string;
  challenge?: string | undefined;
};

/** Scope names seen in the service interface. */
const SCOPES = ['full_user', 'jobs'];

/** Creates both handlers of {auth_url}/auth/oauth/authorize: GET shows the page, POST takes the person's decision. */
export function makeAuthorize({ client, data, switches, log, tokens, now }: Deps) {
  /** Returns the parsed request, or the response that refuses it. */
  function read({ query }: Received): Asked | Reply {
    if (single(query, 'client_id') !== client.id) return refusalPage('The app is not known.');
    const redirectUri = single(query, 'redirect_uri');
    if (redirectUri === undefined || !client.redirectUris.includes(redirectUri)) {
      return refusalPage('The redirect URI is not registered for this app.');
    }
    const state = single(query, 'state');
    const flow = single(query, 'response_type');
    const scope = single(query, 'scope');
    const fail = (error: string) => redirect(redirectUri, { error, state });
    if (flow !== 'code' && flow !== 'token') return fail('unsupported_response_type');
    if (state === undefined || scope === undefined) return fail('invalid_request');
    if (!scope.split(' ').every((name) => SCOPES.includes(name))) return fail('invalid_scope');
    const challenge = challengeOf(query, switches);
    return challenge === 'wrong' ? fail('invalid_request') : { flow, redirectUri, scope, state, challenge };
  }

  function allow(user: string, { flow, redirectUri, scope, state, challenge }: Asked): Reply {
    if (flow === 'code') {
      return redirect(redirectUri, { code: tokens.newCode({ user, scope, redirectUri, challenge }), state });
    }
    const { accessToken } = tokens.newAccessToken({ user, scope, app: true }, 'implicit');
    return json(200, { access_token: accessToken, expires_in: ACCESS_TOKEN_MS / 1000, state });
  }

  function deny({ redirectUri, state }: Asked): Reply {
    const described = switches.get('denyDescription') === 'sent';
    const error_description = described ? 'The user denied the request.' : undefined;
    return redirect(redirectUri, { error: switches.get('denyError'), error_description, state });
  }

  return {
    page(received: Received): Reply {
      const asked = read(received);
      if ('status' in asked) return asked;
      return grantPage({
        clientId: client.id,
        ...asked,
        users: [...data.users.values()],
        expected: data.expected,
      });
    },
    decide(received: Received): Reply {
      const asked = read(received);
      if ('status' in asked) return asked;
      const user = data.users.get(single(received.form, 'user') ?? '');
      if (!user) return refusalPage('There is no such user.');
      const decision = single(received.form, 'decision');
      if (decision !== 'allow' && decision !== 'deny') return refusalPage('Press Allow or Deny.');
      log.add({ type: 'authorization', at: now(), user: user.email, decision, scope: asked.scope });
      return decision === 'allow' ? allow(user.email, asked) : deny(asked);
    },
  };
}

function challengeOf(query: URLSearchParams, switches: SwitchBoard): string | undefined {
  if (switches.get('pkce') === 'ignored' || !query.has('code_challenge')) return;
  const challenge = single(query, 'code_challenge') ?? '';
  const fits = single(query, 'code_challenge_method') === 'S256' && /^[A-Za-z0-9_-]{43}$/.test(challenge);
  return fits ? challenge : 'wrong';
}

function redirect(to: string, parameters: Record<string, string | undefined>): Reply {
  const location = new URL(to);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) location.searchParams.append(name, value);
  }
  return {
    status: 302,
    headers: { location: location.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    body: '',
  };
}
