import type { webcrypto } from 'node:crypto';
import type { FlattenedJWE } from 'jose';
import { flattenedDecrypt } from 'jose/jwe/flattened/decrypt';
import { FlattenedEncrypt } from 'jose/jwe/flattened/encrypt';

/** A key of 32 bytes and the name it is known by in sealed text. */
export type TokenKey = { readonly id: string; readonly secret: Uint8Array };

/** Where a sealed text belongs. Text sealed for one place does not open at another. */
export type SealedPlace = { readonly table: string; readonly row: string; readonly column: string };

/** Seals with the first key, opens with any. Sealed text is one string of base64url characters and dots. */
export type Sealing = {
  readonly seal: (place: SealedPlace, text: string) => Promise<string>;
  /** Returns the text; throws `UnsealError` after any change, at another place, or without the key. */
  readonly open: (place: SealedPlace, sealed: string) => Promise<string>;
  /** The id of the key that `sealed` claims to need; throws `UnsealError` if it is not sealed text. */
  readonly keyIdOf: (sealed: string) => string;
  /** The id of the key that seals. */
  readonly currentKeyId: string;
};

/** Sealed text that cannot be opened. The error quotes none of it. */
export class UnsealError extends Error {
  override readonly name = 'UnsealError';
  readonly reason: 'malformed' | 'unknown key' | 'changed';
  constructor(reason: 'malformed' | 'unknown key' | 'changed', place?: SealedPlace) {
    super(`A sealed value${place ? ` in ${place.table}.${place.column}` : ''} cannot be opened: ${reason}.`);
    this.reason = reason;
  }
}

/** Whether something could not be opened because its key is missing here, as happens while keys are being changed. */
export function isKeyMissing(error: unknown): boolean {
  return error instanceof UnsealError && error.reason === 'unknown key';
}

/**
 * Creates the sealing under `keys`; there must be at least one. The text is a JWE (RFC 7516: `dir`, A256GCM) with the place as additional
 * authenticated data. RFC 7516 would write those data into the JSON form; here they are omitted, since the reader of the text knows where
 * it is stored, and the four other parts are in the order of the compact form.
 */
export function makeSealing(keys: readonly TokenKey[]): Sealing {
  const [first] = keys;
  if (first === undefined) throw new TypeError('sealing needs a key');
  const importing = new Map<string, Promise<webcrypto.CryptoKey>>();
  const keyOf = ({ id, secret }: TokenKey): Promise<webcrypto.CryptoKey> => {
    let key = importing.get(id);
    if (key === undefined) {
      key = crypto.subtle.importKey('raw', new Uint8Array(secret), 'AES-GCM', false, ['encrypt', 'decrypt']);
      importing.set(id, key);
    }
    return key;
  };

  return {
    currentKeyId: first.id,
    keyIdOf: (sealed) => keyIdIn(partsOf(sealed).header),

    seal: async (place, text) => {
      // Lone surrogates have no UTF-8 form, so they would come back as something else.
      if (!text.isWellFormed()) throw new TypeError('the text to seal is not well-formed Unicode');
      const jwe = await new FlattenedEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: first.id })
        .setAdditionalAuthenticatedData(bytesOf(place))
        .encrypt(await keyOf(first));
      return [jwe.protected, '', jwe.iv, jwe.ciphertext, jwe.tag].join('.');
    },

    open: async (place, sealed) => {
      const { header, iv, ciphertext, tag } = partsOf(sealed, place);
      const id = keyIdIn(header, place);
      const key = keys.find((one) => one.id === id);
      if (key === undefined) throw new UnsealError('unknown key', place);
      const jwe = {
        protected: header,
        iv,
        ciphertext,
        tag,
        aad: Buffer.from(bytesOf(place)).toString('base64url'),
      };
      const text = await textIn(jwe, await keyOf(key));
      if (text === undefined) throw new UnsealError('changed', place);
      return text;
    },
  };
}

/** Decrypts a text; returns undefined if that fails. jose's own error is dropped on purpose, so that nothing of the value reaches a log. */
async function textIn(jwe: FlattenedJWE, key: webcrypto.CryptoKey): Promise<string | undefined> {
  try {
    const { plaintext } = await flattenedDecrypt(jwe, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext);
  } catch {
    return undefined;
  }
}

function partsOf(sealed: string, place?: SealedPlace) {
  const [header = '', empty, iv = '', ciphertext = '', tag = '', ...more] = sealed.split('.');
  // Base64url has spare bits at its end that decoders ignore: accept only one spelling of the same bytes.
  const wellFormed = [header, iv, ciphertext, tag].every(isCanonical);
  if (empty !== '' || more.length > 0 || !wellFormed || header === '' || iv === '' || tag === '') {
    throw new UnsealError('malformed', place);
  }
  return { header, iv, ciphertext, tag };
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function keyIdIn(header: string, place?: SealedPlace): string {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(header, 'base64url').toString());
    if (typeof parsed === 'object' && parsed !== null && 'kid' in parsed && typeof parsed.kid === 'string') {
      return parsed.kid;
    }
  } catch {
    // Not JSON: treated like JSON without a key id.
  }
  throw new UnsealError('malformed', place);
}

/** JSON keeps the three names apart, whatever characters they contain. */
function bytesOf({ table, row, column }: SealedPlace): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([table, row, column]));
}
