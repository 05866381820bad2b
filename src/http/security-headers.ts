import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { style } from './pages/style.ts';

/** Two years, as the preload lists require; without subdomains, which may belong to others. */
const strictTransport = 'max-age=63072000';

/**
 * Headers of every answer to a browser: a page loads only its own stylesheet, is never framed, cached or named in a referrer, and its
 * form leads only to this bot and on to the service's sign-in. Only the origins of `publicUrl` and `authUrl` count.
 */
export function securityHeaders(addresses: {
  readonly publicUrl: string;
  readonly authUrl: string;
}): Readonly<Record<string, string>> {
  const { publicUrl, authUrl } = addresses;
  const styleHash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src 'sha256-${styleHash}'`,
      // Chromium applies this to a form's redirects too, and ours ends at the service.
      `form-action 'self' ${new URL(authUrl).origin}`,
      `frame-ancestors 'none'`,
      `base-uri 'none'`,
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(publicUrl.startsWith('https:') ? { 'Strict-Transport-Security': strictTransport } : {}),
  };
}

/** Sets headers on every answer of the routes behind it. */
export function withHeaders(headers: Readonly<Record<string, string>>): RequestHandler {
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}
