import type { Request } from 'express';

/** The parameters of a request's address, which may be one that `new URL` throws at, as `http://a:99999/link`. */
export function searchParamsOf({ originalUrl }: Pick<Request, 'originalUrl'>): URLSearchParams {
  const [, ...after] = originalUrl.split('?');
  return new URLSearchParams(after.join('?'));
}
