import type { Request, Response } from 'express';

/**
 * Makes a cookie that binds a flow to the browser in which it started. Browsers accept a `__Host-` cookie only if it is Secure, for `/` and for this exact host, so no sibling host can set one.
 * Over http, which is allowed for loopback hosts only, the cookie is neither. It is Lax, not Strict, because the service's redirect back
 * comes from another site.
 */
export function makeCookie(publicUrl: string, plainName: string) {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? `__Host-${plainName}` : plainName;
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return {
    give(response: Response, value: string, seconds: number): void {
      response.cookie(name, value, { ...options, maxAge: seconds * 1_000 });
    },
    read(request: Request): string | null {
      const prefix = `${name}=`;
      const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? null;
    },
  };
}

/** Returns the query parameters of a request. Does not use `new URL`, which throws on some addresses, such as `http://a:99999/link`. */
export function searchParamsOf({ originalUrl }: Pick<Request, 'originalUrl'>): URLSearchParams {
  const [, ...after] = originalUrl.split('?');
  return new URLSearchParams(after.join('?'));
}
