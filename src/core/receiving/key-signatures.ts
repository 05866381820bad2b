import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseJson } from '../../lib/parse-json.ts';

/**
 * The interface gives every subscription a `Key` without saying what it is for. So we try the usual signature schemes on incoming
 * notifications, and the admin can then enforce the one that matches.
 */

const algorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const;
const encodings = ['hex', 'base64'] as const;
type Algorithm = (typeof algorithms)[number];
type Encoding = (typeof encodings)[number];

/** How a header proves that the sender has the key: its value is the key itself, or an HMAC of the raw body. */
type SignatureScheme =
  | { readonly kind: 'key' }
  | {
      readonly kind: 'hmac';
      readonly algorithm: Algorithm;
      readonly encoding: Encoding;
      /** Uses the key's characters instead of the bytes that its hexadecimal digits encode. */
      readonly keyAsText: boolean;
    };

export type SignatureSetting =
  | { readonly mode: 'off' }
  | { readonly mode: 'observe' }
  | { readonly mode: 'enforce'; readonly header: string; readonly scheme: SignatureScheme };

/** Headers as Node's HTTP server delivers them, with names in lower case. */
export type ReceivedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type Received = {
  readonly headers: ReceivedHeaders;
  readonly rawBody: Uint8Array;
  /** Null while it is not known yet. */
  readonly key: string | null;
};

export type ObserveSignature = typeof observe;
export type VerifySignature = typeof verify;

/**
 * Parses `off`, `observe` or `enforce:<header>:<scheme>`; returns null for anything else. A scheme is `key`, or one of `md5`, `sha1`,
 * `sha256`, `sha512` with `-hex` or `-base64`, followed by `-text` if the key is used as text.
 */
export function parseSignatureSetting(text: string): SignatureSetting | null {
  if (text === 'off' || text === 'observe') return { mode: text };
  const [, header, schemeName] = /^enforce:([!#$%&'*+.^_`|~0-9a-z-]+):([a-z0-9-]+)$/i.exec(text) ?? [];
  if (header === undefined || schemeName === undefined) return null;
  const scheme = schemes.get(schemeName.toLowerCase());
  return scheme === undefined ? null : { mode: 'enforce', header: header.toLowerCase(), scheme };
}

/**
 * Whether a request is accepted under a setting. `off` and `observe` accept everything; `enforce` accepts nothing while the key is unknown.
 */
export function verify(setting: SignatureSetting, { headers, rawBody, key }: Received): boolean {
  if (setting.mode !== 'enforce') return true;
  if (key === null || key === '') return false;
  const { scheme } = setting;
  const values = signaturesIn(headers[setting.header]);
  if (scheme.kind === 'key') return values.some((value) => isKey(value, key));
  const expected = hmac(scheme, key, [rawBody]);
  return expected !== null && values.some((value) => isDigest(value, expected, scheme.encoding));
}

/**
 * Tries the usual signature schemes; returns the name of the first that matches, or null. A name without `(` or `body:` can be used after
 * `enforce:`. The name contains no value of a header or of the key.
 */
export function observe(received: Received): string | null {
  const { headers, rawBody, key } = received;
  if (key === null || key === '') return null;
  const signatures = Object.entries(headers)
    .slice(0, mostHeaders)
    .flatMap(([header, value]) => signaturesIn(value).map((signature) => ({ header, signature })));
  const equal = signatures.find(({ signature }) => isKey(signature, key));
  if (equal !== undefined) return `${equal.header}:key`;
  const candidates = signatures.flatMap(({ header, signature }) =>
    digestsIn(signature).map((digest) => ({ header, ...digest })),
  );
  if (candidates.length === 0) return keyFieldIn(rawBody, key);
  return matchingRule(candidates, messagesOf(received), key) ?? keyFieldIn(rawBody, key);
}

/** Maximum headers examined: enough for any sender, and a bound on the work. */
const mostHeaders = 60;
const mostSignaturesInHeader = 8;

/**
 * Returns the signatures in a header: one, or several separated by whitespace, commas or semicolons (senders that rotate keys). Removes an
 * optional prefix such as `sha256=`, `v1=` or `key:`.
 */
function signaturesIn(value: string | readonly string[] | undefined): string[] {
  const text = typeof value === 'string' ? value : (value ?? []).join(',');
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .slice(0, mostSignaturesInHeader)
    .map((part) =>
      part.replace(/^(?:hmac[-_]?)?(?:md5|sha-?1|sha-?256|sha-?512|v\d|s|sig|signature|key)[=:]/i, ''),
    );
}

function isKey(value: string, key: string): boolean {
  const isHex = /^[0-9a-f]+$/i.test(key);
  return isHex ? equalTexts(value.toLowerCase(), key.toLowerCase()) : equalTexts(value, key);
}

/** Compares hashes, so that timing reveals neither the position of the first difference nor the length. */
function equalTexts(one: string, other: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}

function isDigest(value: string, expected: Buffer, encoding: Encoding): boolean {
  return digestsIn(value).some(
    (digest) =>
      digest.encoding === encoding &&
      digest.bytes.length === expected.length &&
      timingSafeEqual(digest.bytes, expected),
  );
}

type Digest = { readonly algorithm: Algorithm; readonly encoding: Encoding; readonly bytes: Buffer };

const digestLengths: Record<Algorithm, number> = { md5: 16, sha1: 20, sha256: 32, sha512: 64 };

/**
 * Returns the digests that a text can be, judged by its length: at most one in hexadecimal and one in base64 (with or without padding, or
 * base64url).
 */
function digestsIn(value: string): Digest[] {
  const read: Array<[Encoding, Buffer]> = [];
  if (/^(?:[0-9a-f]{2})+$/i.test(value)) read.push(['hex', Buffer.from(value, 'hex')]);
  if (/^[0-9a-z+/_-]+={0,2}$/i.test(value)) read.push(['base64', Buffer.from(value, 'base64')]);
  return read.flatMap(([encoding, bytes]) => {
    const algorithm = algorithms.find((one) => digestLengths[one] === bytes.length);
    return algorithm === undefined ? [] : [{ algorithm, encoding, bytes }];
  });
}

type SignedMessage = { readonly name: string; readonly parts: ReadonlyArray<string | Uint8Array> };

/** Maximum ids or times tried from one place: enough for any sender, and a bound on the work. */
const mostOfEach = 2;

/**
 * Returns what may have been signed: the raw body, or a form with an id and a time before it. Both may come from the body or from headers.
 */
function messagesOf({ headers, rawBody }: Received): SignedMessage[] {
  const entries = entriesOf(rawBody);
  const ids = someOf([fieldsNamed('Id', entries), headersNamed(/(?:^|-)id$/, headers)]);
  const times = someOf([
    fieldsNamed('Timestamp', entries),
    headersNamed(/timestamp|(?:^|-)time$/, headers),
    timesWithin(headers),
  ]);
  return [
    { name: '', parts: [rawBody] },
    ...times.map((time) => ({ name: '(timestamp.body)', parts: [`${time}.`, rawBody] })),
    ...ids.flatMap((id) =>
      times.map((time) => ({ name: '(id.timestamp.body)', parts: [`${id}.${time}.`, rawBody] })),
    ),
  ];
}

function headersNamed(name: RegExp, headers: ReceivedHeaders): string[] {
  return Object.entries(headers).flatMap(([header, value]) =>
    typeof value === 'string' && name.test(header) && value.length <= 100 ? [value] : [],
  );
}

/** Returns values as written in the body: signers use their own text, not our normalized form. */
function fieldsNamed(name: string, entries: readonly object[]): string[] {
  return entries.flatMap((entry) => {
    const value: unknown = Object.getOwnPropertyDescriptor(entry, name)?.value;
    return typeof value === 'string' && value.length <= 100 ? [value] : [];
  });
}

/** Returns the times inside signature headers, as in `t=1700000000,v1=…`. */
function timesWithin(headers: ReceivedHeaders): string[] {
  return Object.values(headers).flatMap((value) => {
    const time = typeof value === 'string' ? /(?:^|,)\s*t=(\d{1,20})(?:,|$)/.exec(value)?.[1] : undefined;
    return time === undefined ? [] : [time];
  });
}

function matchingRule(
  candidates: ReadonlyArray<Digest & { readonly header: string }>,
  messages: readonly SignedMessage[],
  key: string,
): string | null {
  for (const { name, parts } of messages) {
    for (const { algorithm, keyAsText } of hmacs) {
      const ofLength = candidates.filter((candidate) => candidate.algorithm === algorithm);
      const expected = ofLength.length === 0 ? null : hmac({ algorithm, keyAsText }, key, parts);
      if (expected === null) continue;
      const match = ofLength.find(({ bytes }) => timingSafeEqual(bytes, expected));
      if (match !== undefined) return `${match.header}:${nameOf({ ...match, keyAsText })}${name}`;
    }
  }
  return null;
}

type Hmac = { readonly algorithm: Algorithm; readonly keyAsText: boolean };

const hmacs: readonly Hmac[] = algorithms.flatMap((algorithm) => [
  { algorithm, keyAsText: false },
  { algorithm, keyAsText: true },
]);

/** Returns null if the key does not have the required form: half a key, or an empty one, would make a signature that anyone can forge. */
function hmac({ algorithm, keyAsText }: Hmac, key: string, parts: SignedMessage['parts']): Buffer | null {
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(key);
  if (!keyAsText && !isHex) return null;
  const made = createHmac(algorithm, Buffer.from(key, keyAsText ? 'utf8' : 'hex'));
  for (const part of parts) made.update(part);
  return made.digest();
}

function nameOf(scheme: Hmac & { readonly encoding: Encoding }): string {
  return `${scheme.algorithm}-${scheme.encoding}${scheme.keyAsText ? '-text' : ''}`;
}

const schemes: ReadonlyMap<string, SignatureScheme> = new Map([
  ['key', { kind: 'key' } as SignatureScheme],
  ...hmacs.flatMap((one) =>
    encodings.map((encoding): [string, SignatureScheme] => {
      return [nameOf({ ...one, encoding }), { kind: 'hmac', encoding, ...one }];
    }),
  ),
]);

const mostEntries = 10;

/** Returns the name of a field, in the body or its first entries, whose value is the key itself; null if there is none. */
function keyFieldIn(rawBody: Uint8Array, key: string): string | null {
  // Most bodies have no such field, so avoid parsing them again.
  if (!/(?:key|token)"\s*:/i.test(textOf(rawBody))) return null;
  for (const entry of entriesOf(rawBody)) {
    const field = Object.entries(entry).find(
      ([name, value]) =>
        /^[a-z]{0,40}(?:key|token)$/i.test(name) && typeof value === 'string' && isKey(value, key),
    );
    if (field !== undefined) return `body:${field[0]}`;
  }
  return null;
}

/** Returns the object in the body, or the first objects in its array. */
function entriesOf(rawBody: Uint8Array): object[] {
  const entries = [parseJson(textOf(rawBody))].flat().slice(0, mostEntries);
  return entries.filter((entry): entry is object => typeof entry === 'object' && entry !== null);
}

function textOf(rawBody: Uint8Array): string {
  return new TextDecoder().decode(rawBody);
}

function someOf(places: ReadonlyArray<readonly string[]>): string[] {
  return [...new Set(places.flatMap((texts) => texts.slice(0, mostOfEach)))];
}
