/** Ids of items and documents are opaque; the service's form for them is not known. */
export const maxItemIdLength = 200;
export const maxGlobLength = 1_000;
/** Of globs, and of people, in one subscription. */
export const maxListLength = 50;
/** A month: what has waited longer than a week is only counted anyway. */
export const maxMuteMinutes = 30 * 24 * 60;

/** Of the name that a person gives to what a channel follows. */
export const maxNameLength = 100;

const codeForm = /^[A-HJ-NP-Z2-9]{6}$/;
const userIdForm = /^[UW][A-Z0-9]{1,30}$/;

/** Whether a text can be the id of an item or document. Dots alone would climb in a path of the service's interface. */
export function isItemId(text: string): boolean {
  return isLine(text, maxItemIdLength) && !text.includes('/') && text !== '.' && text !== '..';
}

/** Whether a text can be a glob: something, and something behind a leading `!`. */
export function isGlob(text: string): boolean {
  return isLine(text, maxGlobLength) && text !== '!';
}

/** Whether a text can be the name of a project, session or item. */
export function isName(text: string): boolean {
  return isLine(text, maxNameLength);
}

/** Whether a text has the form of an e-mail address. */
export function isEmail(text: string): boolean {
  const [name, domain, more] = text.split('@', 3);
  if (!name || !domain || more !== undefined || !isLine(text, 254)) return false;
  return !/[\s<>,;:"()[\]]/.test(text) && domain.split('.').every((label) => label !== '');
}

/** Whether a text is a Slack user id (Slack: they begin with U, or with W for some in organizations). */
export function isUserId(text: string): boolean {
  return userIdForm.test(text);
}

/** Whether a text is a code shown at the end of linking. */
export function isLinkCode(text: string): boolean {
  return codeForm.test(text);
}

/** One line without control characters and outer space; Postgres takes neither NUL nor half a surrogate pair. */
function isLine(text: string, maxLength: number): boolean {
  return (
    text !== '' &&
    text.length <= maxLength &&
    text.trim() === text &&
    text.isWellFormed() &&
    !/[\p{Cc}\u2028\u2029]/u.test(text)
  );
}
