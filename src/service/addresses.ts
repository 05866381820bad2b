/**
 * An address of the service without trailing slashes, so that a path can be appended. Throws if it is not https; http is allowed for
 * loopback hosts only, since tokens and the client secret go over it.
 */
export function serviceAddress(address: string): string {
  const url = new URL(address);
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw new Error(`the service's address must be https: ${url.protocol}//${url.host}`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Whether an address is http on this machine itself. */
export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
}
