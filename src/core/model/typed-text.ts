import { trimSlashes } from '../../lib/text.ts';

/** Ids of items and documents are opaque; the service does not document their form. */
export const maxItemIdLength = 200;
/** The most characters in all globs of one subscription together. */
export const maxGlobsLength = 4_000;
/** The most globs, or people, in one subscription. */
export const maxListLength = 50;
/** A month. Changes held longer than a week are only counted anyway. */
export const maxMuteMinutes = 30 * 24 * 60;

/** For the name that a person gives to what a channel follows, in Unicode characters: most emoji count as one. */
export const maxNameLength = 100;

/** For a name or link of which the changes are listed, in UTF-16 units. */
export const longestNamed = 500;

const codeForm = /^[A-HJ-NP-Z2-9]{6}$/;
const userIdForm = /^[UW][A-Z0-9]{1,30}$/;
const groupIdForm = /^S[A-Z0-9]{2,30}$/;
const channelIdForm = /^[CG][A-Z0-9]{1,40}$/;

/** Returns whether text can be the id of an item or document. `.` and `..` would change the path in a call to the service. */
export function isItemId(text: string): boolean {
  return isLine(text, maxItemIdLength) && !text.includes('/') && text !== '.' && text !== '..';
}

/** What may separate the digits of a project's or session's id. */
export const digitSeparators = /[\s#.,/_·\-‐‑‒–—―−]/g;

/** Returns the canonical id of a project or session, three groups of three digits, from nine digits in any grouping; null from any other text. */
export function readNineDigits(text: string): string | null {
  const digits = text.replace(digitSeparators, '');
  return /^\d{9}$/.test(digits) ? digits.replace(/^(...)(...)/, '$1-$2-') : null;
}

/** Returns whether text can be a glob: more than signs, and not the root, within which everything is. */
export function isGlob(text: string): boolean {
  return isLine(text, maxGlobsLength) && !isRoot(text) && !/^[!/›>\s]+$/.test(text);
}

/** Returns whether text is the root of all folders, as people type it: `/` or `./`. A glob of this kind would match nothing. */
export function isRoot(text: string): boolean {
  return /^!?\.?[/\\]+$/.test(text);
}

/** Invisible characters in pasted text: soft hyphen, zero-width space, direction marks, byte order mark. Not joiners, which emoji need. */
export const allInvisible =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

/** Returns text without the invisible characters of pasted text, and with plain spaces. */
export function withoutInvisible(text: string): string {
  return text.replace(allInvisible, '').replace(/\s/g, ' ');
}

/**
 * Writes each letter with its accents as one character, and every apostrophe as a straight one. A Mac writes names of files apart, and what is
 * typed as one; a phone types ’ for '. More accents than any letter has (Unicode: 30, in its Stream-Safe Text Format) are cut, because
 * normalizing them takes quadratic time.
 */
export function composed(text: string): string {
  return text
    .replace(/(\p{M}{30})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[‘’ʼ]/g, "'");
}

/** Returns the same text for a name or a path however it is typed: in any letter case, and with any separator of folders. */
export function spelling(text: string): string {
  return trimSlashes(
    composed(text)
      .toLowerCase()
      .replace(/\s+/g, ' ')
      .replace(/ ?[/›>] ?/g, '/'),
  );
}

/** Returns whether text can be the name of a project, session or item. A name of invisible characters would read as none. */
export function isName(text: string): boolean {
  const isVisible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(text);
  return isVisible && isLine(text, 2 * maxNameLength) && Array.from(text).length <= maxNameLength;
}

/** Returns whether text looks like an email address. */
export function isEmail(text: string): boolean {
  const [name, domain, more] = text.split('@', 3);
  if (!name || !domain || more !== undefined || !isLine(text, 254)) return false;
  return !/[\s<>,;:"()[\]]/.test(text) && domain.split('.').every((label) => label !== '');
}

/** Returns whether text is a Slack user id (U…, or W… in organizations). As a channel's, it stands for that person's direct messages. */
export function isUserId(text: string): boolean {
  return userIdForm.test(text);
}

/** Returns whether text is the id of a user group in Slack. */
export function isGroupId(text: string): boolean {
  return groupIdForm.test(text);
}

/** Returns whether text can be the handle of a user group, without its @: one word, which can be typed again. */
export function isGroupHandle(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,79}$/u.test(text);
}

/** Returns whether text is the id of a Slack channel, public or private; direct messages have others. */
export function isChannelId(text: string): boolean {
  return channelIdForm.test(text);
}

/** Returns whether text looks like the code shown at the end of linking. */
export function isLinkCode(text: string): boolean {
  return codeForm.test(text);
}

/** With spaces, hyphens and marks between its characters. Normalizing takes longer than in proportion to the length. */
const longestTypedCode = 64;

/** Returns the code in what a person typed, ignoring letter case, spaces and hyphens; null if there is none. */
export function readLinkCode(typed: string): string | null {
  if (typed.length > longestTypedCode) return null;
  const code = typed
    .normalize('NFKC')
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase();
  return isLinkCode(code) ? code : null;
}

/** One line without control characters or outer spaces, of at most `maxLength` UTF-16 units, that Postgres can store. */
function isLine(text: string, maxLength: number): boolean {
  return (
    text !== '' &&
    text.length <= maxLength &&
    text.trim() === text &&
    text.isWellFormed() &&
    !/[\p{Cc}\u2028\u2029]/u.test(text)
  );
}
