import type { Request, Response } from 'express';

/** A cookie that ties something to the browser in which it started. */
export type BrowserCookie = {
  readonly give: (response: Response, value: string, seconds: number) => void;
  readonly read: (request: Request) => string | null;
  readonly clear: (response: Response) => void;
};

/** The cookie that ties a link to the browser in which it started. */
export function makeLinkCookie(publicUrl: string): BrowserCookie {
  return makeCookie(publicUrl, 'link');
}

/**
 * Browsers accept `__Host-` cookies only if they are Secure, for `/`, and for this very host, so no neighboring host can set one. Over
 * http, which is for loopback hosts only, there are no Secure cookies. Lax and not Strict, because the service's redirect back comes from
 * another site.
 */
export function makeCookie(publicUrl: string, plainName: string): BrowserCookie {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? `__Host-${plainName}` : plainName;
  const options = { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const;
  return {
    give: (response, value, seconds) => {
      response.cookie(name, value, { ...options, maxAge: seconds * 1_000 });
    },
    read: (request) => {
      const prefix = `${name}=`;
      const pairs = (request.get('cookie') ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length) ?? null;
    },
    clear: (response) => {
      response.clearCookie(name, options);
    },
  };
}
