import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { style } from './pages/page.ts';

/** Two years, as the preload lists require. Without subdomains, which may belong to someone else. */
const strictTransport = 'max-age=63072000';

/**
 * Returns the headers of every response to a browser. A page loads only its own stylesheet, and is never framed, cached or named in a
 * referrer. Its form can lead only to this bot and on to the service's sign-in.
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
      // Chromium also applies this to a form's redirects, and ours ends at the service.
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

/** Middleware that sets headers on every response of the routes after it. */
export function withHeaders(headers: Readonly<Record<string, string>>): RequestHandler {
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}
