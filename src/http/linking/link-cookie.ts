import type { Request, Response } from 'express';

/** A cookie that ties something to the browser in which it was begun. */
export type BrowserCookie = {
  readonly give: (response: Response, value: string, seconds: number) => void;
  readonly read: (request: Request) => string | null;
  readonly clear: (response: Response) => void;
};

/** The cookie that ties a link to the browser in which it was begun. */
export function makeLinkCookie(publicUrl: string): BrowserCookie {
  return makeCookie(publicUrl, 'link');
}

/**
 * Browsers take `__Host-` cookies only when they are Secure, for `/`, and for this very host, so no neighbouring host can set one.
 * Over http, which is for loopback hosts, there are no Secure cookies. Lax and not Strict: the service's redirect back comes from
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
