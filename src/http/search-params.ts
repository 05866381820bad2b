import type { Request } from 'express';

/** Returns the query parameters of a request. Does not use `new URL`, which throws on some addresses, such as `http://a:99999/link`. */
export function searchParamsOf({ originalUrl }: Pick<Request, 'originalUrl'>): URLSearchParams {
  const [, ...after] = originalUrl.split('?');
  return new URLSearchParams(after.join('?'));
}
