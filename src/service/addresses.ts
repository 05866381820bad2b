/**
 * Returns an address of the service without trailing slashes, so that a path can be appended. Throws unless it is https; http is allowed
 * only for loopback hosts, since tokens and the client secret are sent over it.
 */
export function serviceAddress(address: string): string {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw new Error(`the service's address must be https: ${url.protocol}//${url.host}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Whether a URL uses http to this machine itself. */
export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
}
