import { createHash } from 'node:crypto';
import { JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { StateFault } from '../../core/installing/finish-install.ts';

/** How long an installation may take, in seconds. */
export const stateSeconds = 600;

const algorithm = 'HS256';

type InstallStatesDeps = {
  /** The signing key, the same in all processes. */
  readonly key: Uint8Array;
  readonly newId: () => string;
  /** Claims an id; false if it was already claimed. Atomic across all processes. */
  readonly take: (id: string, now: Date) => Promise<boolean>;
  readonly now: () => Date;
};

/**
 * OAuth states of installations: signed, bound to a browser, valid for ten minutes and for one use. Nothing is stored until a state comes
 * back, so opening the install page costs no row. Bolt's own states can be reused until they expire (seen in @slack/oauth 4.0.0).
 */
export function makeInstallStates({ key, newId, take, now }: InstallStatesDeps) {
  const seconds = () => Math.floor(now().getTime() / 1_000);

  return {
    /** Makes a new state for the browser with this cookie. */
    make: (browser: string): Promise<string> =>
      new SignJWT({ browser: hashOf(browser) })
        .setProtectedHeader({ alg: algorithm })
        .setJti(newId())
        .setExpirationTime(seconds() + stateSeconds)
        .sign(key),

    /** Uses up a state; returns why it is not valid, or null if it is. */
    async use(state: string, browser: string | null): Promise<StateFault | null> {
      const read = await verify(state);
      if (typeof read === 'string') return read;
      if (browser === null || read.browser !== hashOf(browser)) return 'foreign';
      return (await take(`install:${read.id}`, now())) ? null : 'used';
    },
  };

  async function verify(state: string): Promise<{ id: string; browser: unknown } | 'unknown' | 'expired'> {
    try {
      const { payload } = await jwtVerify(state, key, {
        algorithms: [algorithm],
        currentDate: now(),
        requiredClaims: ['jti', 'exp', 'browser'],
      });
      return { id: String(payload.jti), browser: payload.browser };
    } catch (error) {
      // jose checks the signature before the expiration time.
      return error instanceof JWTExpired ? 'expired' : 'unknown';
    }
  }
}

/** Hashes the cookie's value for the state. States are part of URLs, which end up in histories and logs; the value itself must not. */
function hashOf(browser: string): string {
  return createHash('sha256').update(browser).digest('base64url');
}
