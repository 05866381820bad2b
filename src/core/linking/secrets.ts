import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Characters of codes that people type, without look-alikes. */
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 6;

/** Bytes in a ticket: 128 bits cannot be guessed. */
const ticketBytes = 16;
const ticketForm = /^[\w-]{22}$/;

/** Returns a new ticket: 22 base64url characters that work once. */
export function newTicket(): string {
  return randomBytes(ticketBytes).toString('base64url');
}

/** Returns whether text can be a ticket, so nothing else reaches the database. */
export function isTicket(text: string): boolean {
  return ticketForm.test(text);
}

/** Returns a new secret that ties an attempt to one browser. */
export function newCookie(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the code of six characters that a person types in Slack. It is made from the cookie, so that only the browser with the cookie can
 * show it, as often as it likes, and nothing but its hash is stored.
 */
export function codeOf(cookie: string): string {
  // The alphabet has 32 characters, so five bits of a byte choose one without bias.
  const bytes = hashOf(`link code of ${cookie}`).subarray(0, codeLength);
  return Array.from(bytes, (byte) => codeAlphabet[byte & 31]).join('');
}

/** SHA-256, stored in place of a secret that only has to be recognized. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares two hashes in constant time. */
export function sameHash(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
