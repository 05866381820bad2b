import { isLoopback } from '../address.ts';

/**
 * Returns an address of the service without trailing slashes, so that a path can be appended. Throws unless it is https; http is allowed
 * only for loopback hosts, since tokens and the client secret are sent over it.
 */
export function serviceAddress(address: string): string {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new Error(`the service's address must be https: ${url.protocol}//${url.host}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
