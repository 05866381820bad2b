import { createHash } from 'node:crypto';
import type { EventOf, PracticeLog } from './log.ts';
import type { SwitchBoard } from './switches.ts';

const MINUTE_MS = 60_000;
/** Service interface, Limits. */
export const ACCESS_TOKEN_MS = 60 * MINUTE_MS;
export const REFRESH_TOKEN_MS = 60 * 24 * 60 * MINUTE_MS;
export const CODE_MS = 5 * MINUTE_MS;

/** On whose behalf, and for which scope, a token was issued. */
export type Grant = {
  user: string;
  scope: string;
  /** False for a token the person got without an app. */
  app: boolean;
};

export type IssuedTokens = Grant & {
  accessToken: string;
  issued: Date;
  expires: Date;
  refreshToken?: string | undefined;
};

/** A refused code or refresh token: RFC 6749's `invalid_grant`, with the reason. */
export type Refused = { refused: string };

type Authorized = { user: string; scope: string; redirectUri: string; challenge?: string | undefined };
type Redeeming = { code: string; redirectUri: string; verifier?: string | undefined };

export type Tokens = {
  /** Returns a code for what the user has just granted. */
  newCode(authorized: Authorized): string;
  redeem(redeeming: Redeeming): IssuedTokens | Refused;
  refresh(refreshToken: string): IssuedTokens | Refused;
  /** Returns an access token alone: from the implicit flow, or handed out to a test. */
  newAccessToken(grant: Grant, how: 'implicit' | 'handed out'): IssuedTokens;
  /** Returns the grant of an access token that is valid now. */
  whose(accessToken: string): Grant | undefined;
  /** The user revokes what was granted: everything, or as switched. */
  revoke(user: string): void;
  /** Returns every token and code ever issued. */
  secrets(): string[];
};

type How = EventOf<'token'>['grant'];
type Family = { id: number; grant: Grant; refreshRevoked: boolean; accessRevoked: boolean };
type Code = Authorized & { family: Family; expires: number; used: boolean };
type Access = { family: Family; expires: number; ended: boolean };
type Refresh = { family: Family; access: Access; expires: number; used: boolean };
type Deps = { switches: SwitchBoard; log: PracticeLog; now: () => Date; newSecret: () => string };

/**
 * Creates the store of codes and tokens. All tokens from one authorization form a family; a code or refresh token that is used twice was
 * stolen from one of its two users, so its whole family is revoked.
 */
export function makeTokens({ switches, log, now, newSecret }: Deps): Tokens {
  const codes = new Map<string, Code>();
  const accesses = new Map<string, Access>();
  const refreshes = new Map<string, Refresh>();
  const families: Family[] = [];

  function newFamily(grant: Grant): Family {
    const family = { id: families.length + 1, grant, refreshRevoked: false, accessRevoked: false };
    families.push(family);
    return family;
  }

  function issue(family: Family, how: How, withRefreshToken: boolean): IssuedTokens {
    const issued = now();
    const accessToken = newSecret();
    const access = { family, expires: issued.getTime() + ACCESS_TOKEN_MS, ended: false };
    accesses.set(accessToken, access);
    note(family, how, withRefreshToken);
    const tokens = { ...family.grant, accessToken, issued, expires: new Date(access.expires) };
    if (!withRefreshToken) return tokens;
    const refreshToken = newSecret();
    refreshes.set(refreshToken, {
      family,
      access,
      expires: issued.getTime() + REFRESH_TOKEN_MS,
      used: false,
    });
    return { ...tokens, refreshToken };
  }

  function note({ id, grant }: Family, how: How, withRefreshToken: boolean): void {
    const { user, scope } = grant;
    log.add({ type: 'token', at: now(), grant: how, user, scope, family: id, withRefreshToken });
  }

  function revokeReused(what: 'code' | 'refresh token', family: Family): void {
    const { id, grant } = family;
    log.add({ type: 'reuse', at: now(), what, user: grant.user, family: id });
    if (family.refreshRevoked && family.accessRevoked) return;
    family.refreshRevoked = true;
    family.accessRevoked = true;
    log.add({ type: 'revocation', at: now(), why: 'reuse', user: grant.user, family: id });
  }

  return {
    newCode(authorized) {
      const code = newSecret();
      const { user, scope } = authorized;
      const family = newFamily({ user, scope, app: true });
      codes.set(code, { ...authorized, family, expires: now().getTime() + CODE_MS, used: false });
      return code;
    },
    redeem({ code: text, redirectUri, verifier }) {
      const code = codes.get(text);
      if (!code) return { refused: 'The code is not known.' };
      if (code.used) {
        revokeReused('code', code.family);
        return { refused: 'The code was used before.' };
      }
      if (code.family.refreshRevoked) return { refused: 'The authorization was revoked.' };
      if (code.expires <= now().getTime()) return { refused: 'The code has expired.' };
      if (code.redirectUri !== redirectUri) return { refused: 'The redirect_uri is not the one authorized.' };
      if (switches.get('pkce') === 'checked' && !verifies(code.challenge, verifier)) {
        return { refused: 'The code_verifier does not fit the code_challenge.' };
      }
      code.used = true;
      return issue(code.family, 'authorization_code', true);
    },
    refresh(text) {
      const refresh = refreshes.get(text);
      if (!refresh) return { refused: 'The refresh token is not known.' };
      if (refresh.used) {
        revokeReused('refresh token', refresh.family);
        return { refused: 'The refresh token was used before.' };
      }
      if (refresh.family.refreshRevoked) return { refused: 'The refresh token was revoked.' };
      if (refresh.expires <= now().getTime()) return { refused: 'The refresh token has expired.' };
      const rotates = switches.get('refreshAnswer') === 'new refresh token';
      refresh.used = rotates;
      if (switches.get('oldAccessToken') === 'ends at refresh') refresh.access.ended = true;
      return issue(refresh.family, 'refresh_token', rotates);
    },
    newAccessToken: (grant, how) => issue(newFamily(grant), how, false),
    whose(text) {
      const access = accesses.get(text);
      if (!access || access.ended || access.family.accessRevoked) return;
      return access.expires > now().getTime() ? access.family.grant : undefined;
    },
    revoke(user) {
      for (const family of families) {
        if (family.grant.user !== user || family.refreshRevoked) continue;
        family.refreshRevoked = true;
        family.accessRevoked = switches.get('revocation') === 'access tokens too';
        log.add({ type: 'revocation', at: now(), why: 'user', user, family: family.id });
      }
    },
    secrets: () => [...codes.keys(), ...accesses.keys(), ...refreshes.keys()],
  };
}

function verifies(challenge: string | undefined, verifier: string | undefined): boolean {
  if (challenge === undefined) return verifier === undefined;
  return verifier !== undefined && createHash('sha256').update(verifier).digest('base64url') === challenge;
}
