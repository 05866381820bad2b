/** The address as text without trailing slashes, or what is wrong with it in words that follow "X …". */
export type AddressRead =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly fault: string };

/**
 * Reads an address that other systems are sent to. https is taken for every host, http for loopback hosts alone: over http
 * anywhere else, tokens and callback addresses would cross the network in the clear.
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
  // The text and not url.search: a lone `?` or `#` leaves that empty, yet whatever is put behind would end up in it.
  if (/[?#]/.test(url.href)) return 'carries a query or a fragment';
  return undefined;
}

/** 127.0.0.0/8, ::1 and localhost. The URL parser has already turned every spelling of an IPv4 address into four decimals. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
