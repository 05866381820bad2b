import { createHash } from 'node:crypto';
import { JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import type { StateFault } from '../../core/access/install.ts';

/** An installation has to be finished within this many seconds. */
export const stateSeconds = 600;

const algorithm = 'HS256';

export type InstallStatesDeps = {
  /** The same in all processes. */
  readonly key: Uint8Array;
  readonly newId: () => string;
  /** Claims an id; false if it is taken. Atomic over all processes. */
  readonly take: (id: string, now: Date) => Promise<boolean>;
  readonly now: () => Date;
};

/**
 * States of installations: signed, bound to a browser, good for ten minutes and for one use. Nothing is stored before one comes back, so
 * opening the install page costs no row. Bolt's own states can be used again while they live (seen in @slack/oauth 4.0.0).
 */
export function makeInstallStates({ key, newId, take, now }: InstallStatesDeps) {
  const seconds = () => Math.floor(now().getTime() / 1_000);

  return {
    /** A new state for the browser that holds this cookie. */
    make: (browser: string): Promise<string> =>
      new SignJWT({ browser: hashOf(browser) })
        .setProtectedHeader({ alg: algorithm })
        .setJti(newId())
        .setExpirationTime(seconds() + stateSeconds)
        .sign(key),

    /** Uses a state up; says why not, or null. */
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
      // The signature is checked before the time.
      return error instanceof JWTExpired ? 'expired' : 'unknown';
    }
  }
}

/** The state is part of addresses, which end up in histories and logs; the cookie's value must not. */
function hashOf(browser: string): string {
  return createHash('sha256').update(browser).digest('base64url');
}
