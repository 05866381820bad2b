import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 random bits, and 64 bits of a keyed checksum. */
const randomLength = 16;
const checksumLength = 8;
/** Tokens that are remembered with their hash: the same few come again and again, and each takes longer to check than to look up. */
const hashesKept = 20_000;
const wellFormed = /^[A-Za-z0-9_-]{32}$/;

/**
 * Callback tokens: the last part of the address that the service calls. Their checksum lets junk be refused without asking the
 * database; their randomness is what keeps strangers out.
 * @param key 32 bytes, the same in all processes.
 */
export function makeCallbackTokens({ key }: { readonly key: Uint8Array }) {
  // Made once: Node takes five times as long where it gets the bytes of a key each time.
  const secret = createSecretKey(key);
  const checksum = (random: Uint8Array) =>
    createHmac('sha256', secret).update(random).digest().subarray(0, checksumLength);

  const hashes = new Map<string, Buffer>();

  function isRight(text: string): boolean {
    const bytes = Buffer.from(text, 'base64url');
    return timingSafeEqual(bytes.subarray(randomLength), checksum(bytes.subarray(0, randomLength)));
  }

  return {
    /** A new token, 32 characters that need no escaping in an address. */
    make(): string {
      const random = randomBytes(randomLength);
      return Buffer.concat([random, checksum(random)]).toString('base64url');
    },

    /** Whether a text can be a token of ours at all. */
    isOurs(text: string): boolean {
      if (!wellFormed.test(text)) return false;
      if (hashes.has(text)) return true;
      if (!isRight(text)) return false;
      if (hashes.size >= hashesKept) hashes.clear();
      hashes.set(text, hashOf(text));
      return true;
    },

    /** What is stored of a token. */
    hash: (token: string): Buffer => hashes.get(token) ?? hashOf(token),
  };
}

function hashOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export type CallbackTokens = ReturnType<typeof makeCallbackTokens>;
