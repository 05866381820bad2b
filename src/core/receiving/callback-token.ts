import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 random bits, followed by 64 bits of a keyed checksum. */
const randomLength = 16;
const checksumLength = 8;
/** Tokens cached with their hash: the same few keep coming, and checking one takes longer than looking it up. */
const hashesKept = 20_000;
const wellFormed = /^[A-Za-z0-9_-]{32}$/;

/** Makes and checks callback tokens, the last part of a callback URL: their checksum lets junk be refused without a query. `key`: 32 bytes. */
export function makeCallbackTokens({ key }: { readonly key: Uint8Array }) {
  // Created once: Node takes five times as long if it gets the key as bytes each time.
  const secret = createSecretKey(key);
  const checksum = (random: Uint8Array) =>
    createHmac('sha256', secret).update(random).digest().subarray(0, checksumLength);

  const hashes = new Map<string, Buffer>();

  function isRight(text: string): boolean {
    const bytes = Buffer.from(text, 'base64url');
    return timingSafeEqual(bytes.subarray(randomLength), checksum(bytes.subarray(0, randomLength)));
  }

  return {
    /** Returns a new token: 32 characters that need no escaping in a URL. */
    make(): string {
      const random = randomBytes(randomLength);
      return Buffer.concat([random, checksum(random)]).toString('base64url');
    },

    /** Returns whether text is a well-formed token with a valid checksum. */
    isOurs(text: string): boolean {
      if (!wellFormed.test(text)) return false;
      if (hashes.has(text)) return true;
      if (!isRight(text)) return false;
      if (hashes.size >= hashesKept) hashes.clear();
      hashes.set(text, hashOf(text));
      return true;
    },

    /** Returns the hash of a token, which is what the database stores. */
    hash: (token: string): Buffer => hashes.get(token) ?? hashOf(token),
  };
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export type CallbackTokens = ReturnType<typeof makeCallbackTokens>;
