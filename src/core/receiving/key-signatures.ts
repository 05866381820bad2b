import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The interface gives every subscription a `Key` without saying what it is for. So we try two usual ways of signing on incoming
 * notifications, and the admin can then enforce the one that matches.
 */

/** How a header proves that the sender has the Key: its value is the Key itself, or an HMAC-SHA256 of the raw body. */
type SignatureScheme =
  | 'key'
  | {
      readonly encoding: 'hex' | 'base64';
      /** Uses the Key's characters instead of the bytes that its hexadecimal digits encode. */
      readonly keyAsText: boolean;
    };

/** Schemes by the name that admins set. */
const schemes: ReadonlyMap<string, SignatureScheme> = new Map<string, SignatureScheme>([
  ['key', 'key'],
  ['sha256-hex', { encoding: 'hex', keyAsText: false }],
  ['sha256-base64', { encoding: 'base64', keyAsText: false }],
  ['sha256-hex-text', { encoding: 'hex', keyAsText: true }],
  ['sha256-base64-text', { encoding: 'base64', keyAsText: true }],
]);

export type SignatureSetting =
  | { readonly mode: 'off' }
  | { readonly mode: 'observe' }
  | { readonly mode: 'enforce'; readonly header: string; readonly scheme: SignatureScheme };

/** Headers as Node's HTTP server delivers them, with names in lower case. */
type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parts of a request that its signature depends on. */
export type SignedRequest = { readonly headers: ReceivedHeaders; readonly rawBody: Uint8Array };

/** `key` is null while it is not known. */
type Received = SignedRequest & { readonly key: string | null };

/** Parses `off`, `observe` or `enforce:<header>:<scheme>`; null for anything else. `-text` behind a scheme: the Key is used as text. */
export function parseSignatureSetting(text: string): SignatureSetting | null {
  if (text === 'off' || text === 'observe') return { mode: text };
  const [, header, schemeName] = /^enforce:([!#$%&'*+.^_`|~0-9a-z-]+):([a-z0-9-]+)$/i.exec(text) ?? [];
  if (header === undefined || schemeName === undefined) return null;
  const scheme = schemes.get(schemeName.toLowerCase());
  return scheme === undefined ? null : { mode: 'enforce', header: header.toLowerCase(), scheme };
}

/** Whether a request is accepted under a setting. `enforce` accepts nothing while the Key is unknown. */
export function verify(setting: SignatureSetting, { key, headers, rawBody }: Received): boolean {
  if (setting.mode !== 'enforce') return true;
  if (!key) return false;
  return signaturesIn(headers[setting.header]).some(matcher(setting.scheme, key, rawBody));
}

/** Maximum headers examined: enough for any sender, and a bound on the work. */
const mostHeaders = 60;

/** Tries all schemes on all headers; returns what to write after `enforce:`, or null. It contains no value of a header or of the Key. */
export function observe({ key, headers, rawBody }: Received): string | null {
  if (!key) return null;
  const sent = Object.entries(headers)
    .slice(0, mostHeaders)
    .flatMap(([header, value]) => signaturesIn(value).map((signature) => ({ header, signature })));
  for (const [name, scheme] of schemes) {
    const matches = matcher(scheme, key, rawBody);
    const found = sent.find(({ signature }) => matches(signature));
    if (found) return `${found.header}:${name}`;
  }
  return null;
}

const mostSignaturesInHeader = 8;

/** Returns the signatures in a header, one or several (senders that rotate keys), without a prefix such as `sha256=`, `v1=` or `key:`. */
function signaturesIn(value: string | readonly string[] | undefined): string[] {
  const text = typeof value === 'string' ? value : (value ?? []).join(',');
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .slice(0, mostSignaturesInHeader)
    .map((part) => part.replace(/^(?:(?:hmac[-_]?)?sha-?256|v\d|s|sig|signature|key)[=:]/i, ''));
}

/** Returns a function that returns whether a text is what a sender with this Key would have sent. */
function matcher(scheme: SignatureScheme, key: string, rawBody: Uint8Array): (signature: string) => boolean {
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(key);
  if (scheme === 'key') {
    const cased = (text: string) => Buffer.from(isHex ? text.toLowerCase() : text);
    return (signature) => isEqual(cased(signature), cased(key));
  }
  const { encoding, keyAsText } = scheme;
  // Half a Key, or an empty one, would make a signature that anyone can forge.
  if (!keyAsText && !isHex) return () => false;
  const secret = Buffer.from(key, keyAsText ? 'utf8' : 'hex');
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return (signature) =>
    digest[encoding].test(signature) && isEqual(Buffer.from(signature, encoding), expected);
}

/** The 32 bytes of a SHA-256, in hexadecimal or in base64 (with or without padding, or base64url). */
const digest = { hex: /^[0-9a-f]{64}$/i, base64: /^[0-9a-z+/_-]{43}=?$/i };

/** Compares in a time that reveals only the length, which everyone knows. */
function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
