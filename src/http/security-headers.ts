import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { style } from './pages/style.ts';

/** Two years, as the preload lists ask for; without subdomains, which may be somebody else's. */
const strictTransport = 'max-age=63072000';

/**
 * Headers that go on every answer to a browser: nothing is loaded but our own stylesheet, no page of ours is framed, kept or named to
 * others, and forms go to us and on to the service's sign-in alone.
 * `publicUrl` and `authUrl` are addresses of which only the origin counts.
 */
export function securityHeaders({
  publicUrl,
  authUrl,
}: {
  readonly publicUrl: string;
  readonly authUrl: string;
}): Readonly<Record<string, string>> {
  const styleHash = createHash('sha256').update(style).digest('base64');
  return {
    'Content-Security-Policy': [
      `default-src 'none'`,
      `style-src 'sha256-${styleHash}'`,
      // Chromium holds a form's redirects to this as well, and ours ends at the service.
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

/** Puts headers on every answer of the routes behind it. */
export function withHeaders(headers: Readonly<Record<string, string>>): RequestHandler {
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}
