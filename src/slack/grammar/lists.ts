import { type EventType, eventTypes, eventWords, type PersonName } from '../../core/model/subscription.ts';
import { isEmail, isRoot, isUserId } from '../../core/model/typed-text.ts';
import { type Line, longestKnown } from './line.ts';
import { bare, isGrammarWord, isOneOf, meaningOf } from './vocabulary.ts';
import { fold, type Part, type Word } from './words.ts';

const joiners = ['and', 'or', '&', '+'];

/**
 * Reads the values after an option, any number of them, with commas or `and` between them. The list ends before the first word
 * that has none; the other parts of a word such as `added,plans` are left out. `follows`: whether values of the list were read before.
 * Returns null if there are none.
 */
function readList<T>(line: Line, read: (part: Part) => T | null, follows = false): T[] | null {
  const values: T[] = [];
  for (;;) {
    const joint = follows || values.length > 0 ? jointAt(line) : 0;
    const parts = line.peek(joint)?.parts.map((part) => ({ part, value: read(part) })) ?? [];
    const found = parts.flatMap(({ value }) => value ?? []);
    if (found.length === 0) return values.length === 0 ? null : values;
    values.push(...(found as T[]));
    line.take(joint + 1);
    line.leaveOut(parts.flatMap(({ part, value }) => (value === null ? part : [])));
  }
}

const jointAt = (line: Line): number => (isJoiner(line.peek()) ? 1 : 0);

/** Whether a word may stand between two values of a list. */
function isJoiner(part: Part | null): boolean {
  return part !== null && !part.quoted && joiners.includes(fold(part.text));
}

export const typesExpected = 'added, changed or deleted';

/** Reads event types; null if none are next. */
export function readTypes(line: Line): EventType[] | null {
  return readList(line, (part) => {
    const meaning = meaningOf('type', part);
    line.noteSlip(meaning?.isSlip ?? false);
    return eventTypes.find((type) => eventWords[type] === meaning?.word) ?? null;
  });
}

export const peopleExpected = 'an email address, an @mention or me';

/** Reads people; null if none are next. */
export function readPeople(line: Line): PersonName[] | null {
  return readList(line, (part) => personOf(part, line.with.me ?? null));
}

/** Returns the person that a word names; null if it names nobody. Slack marks up what it recognizes; copied text is tried as it is. */
export function personOf({ text, mark, quoted }: Part, me: string | null): PersonName | null {
  if (!quoted && me !== null && bare(text) === 'me') return { userId: me };
  if (mark?.kind === 'person') return isUserId(mark.id) ? { userId: mark.id } : null;
  const mention = /^<@([A-Z0-9]{2,31})(?:\|[^>]{0,200})?>$/.exec(text)?.[1];
  if (mention !== undefined) return isUserId(mention) ? { userId: mention } : null;
  const address = mark?.kind === 'link' ? /^mailto:([^?]*)/i.exec(mark.url)?.[1] : undefined;
  const email = (address ?? text).replace(/^[<(]?(?:mailto:)?|[>).,;:!?]{1,3}$/gi, '').trim();
  return isEmail(email) ? { email } : null;
}

/** Returns each person once, however their address is written. */
export function distinctPeople(people: readonly PersonName[]): PersonName[] {
  const keys = people.map(keyOf);
  return people.filter((_, index) => keys.indexOf(keys[index] ?? '') === index);
}

function keyOf(person: PersonName): string {
  return 'userId' in person ? person.userId : person.email.toLowerCase();
}

/** Takes `to me`, if it is next, or `mine` where that says the same: the line is for the person's own direct message. */
export function takeToMe(line: Line, orMine = false): boolean {
  const isToMe = isOneOf(line.peek(), ['to', 'for']) && isOneOf(line.peek(1), ['me', 'myself']);
  const isMine = orMine && isOneOf(line.peek(), ['mine']);
  if (isToMe || isMine) line.take(isToMe ? 2 : 1);
  return isToMe || isMine;
}

export const patternsExpected = 'the name of a folder or file, in quotes';

/** Reads the patterns after `in`; null if none are next. */
export function readPatterns(line: Line): string[] | null {
  const patterns: string[] = [];
  for (;;) {
    const isMore = patterns.length > 0;
    const joint = isMore ? jointAt(line) : 0;
    const place = knownAt(line, joint, isMore) ?? joinedAt(line, joint);
    if (place) line.take(joint + place.count);
    const read = (part: Part) => (knownAt(line, jointAt(line), isMore) ? null : patternOf(part, !isMore));
    const found = place ? [place.pattern] : readList(line, read, isMore);
    if (found === null) return isMore ? patterns : null;
    patterns.push(...found);
  }
}

type Run = { readonly pattern: string; readonly count: number };

/**
 * Returns the longest run of words that spells a folder or an item which the person may know of; null if none does. Behind a pattern, a
 * single word of the grammar is itself: `in "Plans" weekly`.
 */
function knownAt(line: Line, from: number, isMore: boolean): Run | null {
  const { places } = line.with;
  const word = line.peek(from);
  if (!places || !word || word.quoted) return null;
  const found = longestKnown(line, from, (spelled) => places.has(spelled));
  if (found === null || (isMore && found.count === 1 && isGrammarWord(word))) return null;
  return { pattern: found.text.replace(/ ?[/›>] ?/g, '/'), count: found.count };
}

/** Returns words with a slash that stands alone between them as one pattern: messages show places as `Plans › Level 1`. Null if none are. */
function joinedAt(line: Line, from: number): Run | null {
  const names: string[] = [];
  const next = (ahead: number) => line.peek(from + ahead);
  for (let word = next(0); word && !isGrammarWord(word); word = next(2 * names.length)) {
    names.push(word.text);
    if (!isSeparator(next(2 * names.length - 1))) break;
  }
  return names.length < 2 ? null : { pattern: names.join('/'), count: 2 * names.length - 1 };
}

function isSeparator(word: Word | null): boolean {
  return word !== null && !word.quoted && ['/', '›', '>'].includes(word.text);
}

/**
 * Returns a word as a pattern, if it is one by its quotes, its signs or its ending; null if not. Signs alone are one only in front, and those
 * that end a sentence are no part of it.
 */
function patternOf({ text: typed, quoted, mark }: Part, isFirst: boolean): string | null {
  const text = typed.trim();
  if (quoted) return text === '' ? null : text;
  const isLink = (mark?.kind === 'link' || text.includes('://')) && /\d{3}-?\d{3}-?\d{3}/.test(text);
  if (isLink) return null;
  if (!/[\p{L}\p{N}]/u.test(text)) return isFirst && (isRoot(text) || text.includes('*')) ? text : null;
  const hasEnding = /\.[\p{L}\p{N}]{1,5}$/u.test(text.replace(/[^\p{L}\p{N}]{1,3}$/u, ''));
  return hasEnding || /^!|[/›>*]/u.test(text) ? text.replace(/(?<=[\p{L}\p{N}])[.!;:]{1,3}$/u, '') : null;
}
