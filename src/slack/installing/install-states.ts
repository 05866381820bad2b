import { createHash, randomBytes } from 'node:crypto';
import { JWTExpired } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { installSeconds, type StateFault } from '../../core/installing/finish-install.ts';
import type { SlackApp } from './installations.ts';

// OAuth states of installations: signed, bound to a browser, valid for ten minutes and for one use. Nothing is stored until a state comes
// back, so opening the install page costs no row. Bolt's own states can be reused until they expire (seen in @slack/oauth 4.0.0).

const algorithm = 'HS256';

/** Makes a new state for the browser with this cookie. */
export function makeState({ stateKey, clock }: SlackApp, browser: string): Promise<string> {
  return new SignJWT({ browser: hashOf(browser) })
    .setProtectedHeader({ alg: algorithm })
    .setJti(randomBytes(16).toString('base64url'))
    .setExpirationTime(Math.floor(clock.now().getTime() / 1_000) + installSeconds)
    .sign(stateKey);
}

/** Uses up a state; returns why it is not valid, or null if it is. */
export async function takeState(
  app: SlackApp,
  state: string,
  browser: string | null,
): Promise<StateFault | null> {
  const read = await verify(app, state);
  if (typeof read === 'string') return read;
  if (browser === null || read.browser !== hashOf(browser)) return 'foreign';
  return (await app.takeId(`install:${read.id}`, app.clock.now())) ? null : 'used';
}

async function verify(
  { stateKey, clock }: SlackApp,
  state: string,
): Promise<{ id: string; browser: unknown } | 'unknown' | 'expired'> {
  try {
    const { payload } = await jwtVerify(state, stateKey, {
      algorithms: [algorithm],
      currentDate: clock.now(),
      requiredClaims: ['jti', 'exp', 'browser'],
    });
    return { id: String(payload.jti), browser: payload.browser };
  } catch (error) {
    // jose checks the signature before the expiration time.
    return error instanceof JWTExpired ? 'expired' : 'unknown';
  }
}

/** Hashes the cookie's value for the state. States are part of URLs, which end up in histories and logs; the value itself must not. */
function hashOf(browser: string): string {
  return createHash('sha256').update(browser).digest('base64url');
}
