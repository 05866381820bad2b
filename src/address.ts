/** The address without trailing slashes, or its fault, phrased to follow a name ("X is not an address"). */
type AddressRead =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly fault: string };

/**
 * Parses an address that other systems are sent to. Accepts https for any host and http for loopback hosts only: over http to any other
 * host, tokens and callback URLs would cross the network in the clear.
 */
export function readAddress(text: string): AddressRead {
  if (/\s/.test(text) || !URL.canParse(text)) return { ok: false, fault: 'is not an address' };
  const url = new URL(text);
  const fault = addressFault(url);
  if (fault !== undefined) return { ok: false, fault };
  return { ok: true, address: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}

function addressFault(url: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is not an https address';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'is an http address on a host that is not loopback';
  }
  if (url.username !== '' || url.password !== '') return 'carries a user name or a password';
  // Test the text, not url.search: a lone `?` or `#` leaves url.search empty, but anything appended later would become part of it.
  if (/[?#]/.test(url.href)) return 'carries a query or a fragment';
  return undefined;
}

/** Whether text is an address that a browser can be sent to: https, or http on a loopback host. It may have a query and a fragment. */
export function isBrowserAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /[\s<>|\\]/.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/**
 * Whether a host is in 127.0.0.0/8, ::1 or localhost. The URL parser has already normalized every spelling of an IPv4 address to dotted
 * decimals.
 */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
