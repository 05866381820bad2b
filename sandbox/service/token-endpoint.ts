import { createHash, timingSafeEqual } from 'node:crypto';
import type { Client } from './authorize.ts';
import { isForm, type Received, single } from './received.ts';
import { json, type Reply } from './reply.ts';
import type { SwitchBoard } from './switches.ts';
import { type IssuedTokens, REFRESH_TOKEN_MS, type Refused, type Tokens } from './tokens.ts';

type Deps = { client: Client; switches: SwitchBoard; tokens: Tokens };

/** Creates POST {auth_url}/auth/token. Its errors are those of RFC 6749, the body as switched. */
export function makeTokenEndpoint({ client, switches, tokens }: Deps): (received: Received) => Reply {
  function redeem(form: URLSearchParams): IssuedTokens | Refused | 'invalid_request' {
    const code = single(form, 'code');
    const redirectUri = single(form, 'redirect_uri');
    if (code === undefined || redirectUri === undefined) return 'invalid_request';
    return tokens.redeem({ code, redirectUri, verifier: single(form, 'code_verifier') });
  }

  function refresh(form: URLSearchParams): IssuedTokens | Refused | 'invalid_request' {
    const refreshToken = single(form, 'refresh_token');
    return refreshToken === undefined ? 'invalid_request' : tokens.refresh(refreshToken);
  }

  function fail(status: number, error: string, error_description: string): Reply {
    switch (switches.get('tokenErrorBody')) {
      case 'rfc6749':
        return json(status, { error, error_description });
      case 'text':
        return { status, headers: { 'content-type': 'text/plain' }, body: error_description };
      case 'empty':
        return { status, headers: {}, body: '' };
    }
  }

  function isClient(form: URLSearchParams): boolean {
    const idFits = single(form, 'client_id') === client.id;
    return sameSecret(single(form, 'client_secret') ?? '', client.secret) && idFits;
  }

  return (received) => {
    if (!isForm(received)) return fail(400, 'invalid_request', 'The body is not form-encoded.');
    const { form } = received;
    if (!isClient(form)) return fail(401, 'invalid_client', 'The client is not known.');
    const grantType = single(form, 'grant_type');
    if (grantType !== 'authorization_code' && grantType !== 'refresh_token') {
      return fail(400, 'unsupported_grant_type', 'The grant type is not known.');
    }
    const result = grantType === 'authorization_code' ? redeem(form) : refresh(form);
    if (result === 'invalid_request') return fail(400, 'invalid_request', 'A field is missing.');
    if ('refused' in result) return fail(400, 'invalid_grant', result.refused);
    return json(200, tokenFields(result, switches));
  };
}

/** Returns the fields of "Token response fields" in the service interface, in its order. */
function tokenFields(issued: IssuedTokens, switches: SwitchBoard): Record<string, unknown> {
  const { accessToken, refreshToken, user, scope, issued: at, expires } = issued;
  const lifetime = (expires.getTime() - at.getTime()) / 1000;
  return {
    access_token: accessToken,
    ...seconds('expires_in', switches.get('expiresIn'), lifetime),
    ...(refreshToken === undefined
      ? {}
      : {
          refresh_token: refreshToken,
          ...seconds('refresh_token_expires_in', switches.get('refreshExpiresIn'), REFRESH_TOKEN_MS / 1000),
        }),
    token_type: switches.get('tokenType'),
    ...(switches.get('userName') === 'sent' ? { userName: user } : {}),
    ...(switches.get('scopeField') === 'sent' ? { scope } : {}),
    '.issued': at.toUTCString(),
    '.expires': expires.toUTCString(),
    ...(switches.get('unknownFields') === 'sent' ? { region: 'eu', mfa: { used: false } } : {}),
  };
}

function seconds(
  name: string,
  how: 'number' | 'string' | 'missing',
  value: number,
): Record<string, number | string> {
  if (how === 'missing') return {};
  return { [name]: how === 'string' ? String(value) : value };
}

function sameSecret(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
