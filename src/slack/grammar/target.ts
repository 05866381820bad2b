import type { Command } from '../../core/model/commands.ts';
import { quote } from '../../core/model/format-request.ts';
import type { Followed } from '../../core/model/request.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { isItemId, maxItemIdLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { type Holder, type KindGrammar, kindCandidates, kinds } from './kinds.ts';
import { findLinkId, type LinkId } from './link-id.ts';
import { Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { insideFolder } from './paths.ts';
import { isPolite } from './politeness.ts';
import type { Word } from './words.ts';

/** Words before the resource that carry no meaning. */
const fillers = [
  'to',
  'the',
  'this',
  'a',
  'an',
  'our',
  'my',
  'for',
  'from',
  'with',
  'id',
  'subscribe',
  'unsubscribe',
  'channel',
  'us',
];
const separators = /[\s#.,/_·\-‐‑‒–—―−]/g;
const nine = 9;

/**
 * Reads the resource to subscribe to or unsubscribe from: a kind with its ids, or a bare id or link. `endsItem` lists the words that
 * cannot be an item's id unless they are quoted. Throws `Misunderstood`.
 */
export function readTarget(
  cursor: Cursor,
  verb: Extract<Command, 'subscribe' | 'unsubscribe'>,
  endsItem: readonly string[],
): Followed {
  const example = `${verb} project 123-456-789`;
  const expected = 'project, folder, file, session or document, a 9-digit id or a link';
  const first = cursor.peek();
  const kind = kinds.find(({ word }) => first?.folded === word);
  if (kind && first) {
    cursor.skip();
    return readKind(cursor, kind, { verb, endsItem, kindWord: first });
  }
  if (!first || !(isLink(first) || digitsOf(first))) {
    const meant = first ? (optionsFirst(cursor, endsItem) ?? kindMeant(first)) : {};
    throw new Misunderstood({ word: first, expected, example, ...meant });
  }
  const { id, holder } = readId(cursor, null, example);
  if (holder === null && first) expectNoKind(cursor, first, { id, expected, example });
  switch (holder) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case null:
      return { kind: 'unknown', id };
  }
}

/** Writes the id of a project or session, which people type in any grouping, in three groups where it stands in a line. */
export function withGroupedId(line: string, target: Followed): string {
  const id = 'id' in target ? target.id : 'projectId' in target ? target.projectId : target.sessionId;
  const between = `(?:${separators.source})*`;
  const typed = [...id.replaceAll('-', '')].join(between);
  return line
    .replace(new RegExp(`(?<!\\S)${between}${typed}${between}(?!\\S)`, 'u'), ` ${id} `)
    .trim()
    .replace(/ {2,}/g, ' ');
}

/** Corrects a line in which options come before the resource. */
function optionsFirst(cursor: Cursor, options: readonly string[]): { meant: string; at: Stretch } | null {
  if (!isOneOf(cursor.peek(), options)) return null;
  const isTarget = (word: Word) =>
    !word.quoted && (kinds.some((kind) => kind.word === word.folded) || isLink(word) || isWholeId(word));
  const before = cursor.ahead(isTarget);
  const target = cursor
    .ahead(() => false)
    .slice(before.length)
    .filter((_, index, rest) => !rest.slice(0, index + 1).some((one) => isOneOf(one, options)));
  const [first, last] = [before[0], target.at(-1)];
  if (!first || !last) return null;
  const meant = [...target, ...before].map(retyped).join(' ');
  return { meant, at: { start: first.start, end: last.end } };
}

function retyped({ text, quoted, mark }: Word): string {
  if (mark?.kind === 'person') return `<@${mark.id}>`;
  return quoted ? quote(text) : text;
}

function kindMeant(word: Word): { meant?: string | undefined } {
  const [, kind, id] =
    /^(project|folder|file|session|document)s?[:=#_-]?(\d[\d -]*)$/.exec(word.folded) ?? [];
  if (kind !== undefined) return { meant: `${kind} ${id}` };
  if (isOneOf(word, fillers) || fillers.includes(word.folded.replace(/^\//, '')) || isPolite(word))
    return { meant: '' };
  if (word.quoted && /\s.*\d{3}/.test(word.text)) return { meant: word.text };
  return { meant: nearest(word.text, kindCandidates) ?? digitsMeant(word.text) };
}

/** Throws a correction if the kind was typed after the id. */
function expectNoKind(
  cursor: Cursor,
  first: Word,
  { id, ...wanted }: { id: string; expected: string; example: string },
): void {
  const next = cursor.peek();
  const isHolder = next && isOneOf(next, ['project', 'session']);
  if (!isHolder) return;
  const at = { start: first.start, end: next.end };
  throw new Misunderstood({ ...wanted, word: next, meant: `${next.folded} ${id}`, at });
}

/** Reads an id in which letters were typed for digits they look like; undefined if the text is not an id. */
function digitsMeant(text: string): string | undefined {
  const digits = text
    .replace(/[oO]/g, '0')
    .replace(/[lI]/g, '1')
    .replace(separators, '')
    .replace(/^[(<[{]|[)>\]}:;!?]+$/g, '');
  return /^\d{9}$/.test(digits) && /\d{3}/.test(text) ? grouped(digits) : undefined;
}

/** Whether a word can start a resource. */
export function beginsTarget(word: Word): boolean {
  return kinds.some((kind) => kind.word === word.folded) || isLink(word) || !!digitsOf(word);
}

/** Whether a word is a whole id of a project or session. */
export function isWholeId(word: Word): boolean {
  return digitsOf(word)?.length === nine;
}

function readKind(
  cursor: Cursor,
  kind: KindGrammar,
  { verb, endsItem, kindWord }: { verb: string; endsItem: readonly string[]; kindWord: Word },
): Followed {
  const example = `${verb} ${kind.example}`;
  const { id } = readId(cursor, kind, example, kindWord);
  const place = { example, endsItem, kindWord, id };
  switch (kind.word) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case 'folder':
    case 'file':
      return { kind: kind.word, projectId: id, itemId: readItemId(cursor, kind.word, place) };
    case 'document':
      return { kind: 'document', sessionId: id, documentId: readItemId(cursor, kind.word, place) };
  }
}

type TargetPosition = {
  readonly example: string;
  readonly endsItem: readonly string[];
  /** The word that named the kind. */
  readonly kindWord: Word;
  /** The id of the project or session. */
  readonly id: string;
};

function readItemId(cursor: Cursor, kind: TargetKind, place: TargetPosition): string {
  const { example, endsItem } = place;
  const expected = `the id of the ${kind}`;
  if (isOneOf(cursor.peek(), endsItem)) throw new Misunderstood({ word: cursor.peek(), expected, example });
  const word = cursor.take({ expected, example });
  const id = word.text.trim();
  if (!isItemId(id)) {
    const form = `${expected}, at most ${maxItemIdLength} characters long and without slashes`;
    throw new Misunderstood({ word, expected: form, example, ...pathMeant(word, place) });
  }
  return id;
}

/** Corrects a path in place of a folder id to a subscription to the project, filtered by that path. */
function pathMeant({ text, end }: Word, { kindWord, id }: TargetPosition): { meant?: string; at?: Stretch } {
  if (kindWord.folded !== 'folder' || !/\p{L}/u.test(text) || /[\p{Cc}]/u.test(text)) return {};
  return { meant: `project ${id} ${insideFolder(text)}`, at: { start: kindWord.start, end } };
}

function readId(
  cursor: Cursor,
  kind: KindGrammar | null,
  example: string,
  kindWord?: Word,
): { readonly id: string; readonly holder: Holder | null } {
  const expected = `the 9-digit id of a ${kind?.holder ?? 'project or session'}, or a link with it`;
  const first = cursor.peek();
  if (first && isLink(first)) return readLinkId(cursor, kind, example, kindWord);
  if (first && kind?.item) expectIdFirst(cursor, first, { expected, example });
  return { id: grouped(readDigits(cursor, { expected, example })), holder: null };
}

function readLinkId(
  cursor: Cursor,
  kind: KindGrammar | null,
  example: string,
  kindWord?: Word,
): { readonly id: string; readonly holder: Holder | null } {
  const word = cursor.take({ expected: 'a link', example });
  const found = idInLink(word, kind?.holder ?? null);
  if (!found) throw withoutId(word, cursor.peek(), example);
  if (kind && found.holder && found.holder !== kind.holder) {
    const meant = kind.item === null ? found.holder : undefined;
    throw new Misunderstood({ word, expected: `a link to a ${kind.holder}`, example, meant, at: kindWord });
  }
  return { id: grouped(found.digits), holder: found.holder };
}

/** Makes the error for a link without an id, with a correction if it was pasted with a space in it. */
function withoutId(word: Word, next: Word | null, example: string): Misunderstood {
  if (!next || !findLinkId(word.text + next.text, null)) {
    return new Misunderstood({ word, expected: 'a link with a 9-digit id in it', example });
  }
  const at = { start: word.start, end: next.end };
  return new Misunderstood({
    word,
    expected: 'a link without spaces',
    example,
    meant: word.text + next.text,
    at,
  });
}

/** Throws a correction if the item's id was typed before the one of its project or session: `F100 in project 123-456-789`. */
function expectIdFirst(cursor: Cursor, first: Word, wanted: { expected: string; example: string }): void {
  const between = cursor.ahead(
    (word) => word !== first && !isOneOf(word, ['in', 'of', 'from', 'the', 'project', 'session']),
  );
  const holder = cursor.peek(between.length);
  if (!holder || digitsOf(first) || !isWholeId(holder)) return;
  const item = /^[\w.~-]+$/.test(first.text) ? first.text : quote(first.text);
  const at = { start: first.start, end: holder.end };
  throw new Misunderstood({ ...wanted, word: first, meant: `${holder.text} ${item}`, at });
}

/** Reads nine digits, which may be spread over several words. */
function readDigits(cursor: Cursor, wanted: { expected: string; example: string }): string {
  const first = cursor.take(wanted);
  if (!digitsOf(first)) throw new Misunderstood({ ...wanted, word: first, ...idMeant(first) });
  let digits = digitsOf(first);
  let typed = first.text;
  let end = first.end;
  while (digits !== null && digits.length < nine) {
    const next = cursor.peek();
    const more = next && digitsOf(next);
    if (!next || more === null) break;
    cursor.skip();
    digits += more;
    typed += ` ${next.text}`;
    end = next.end;
  }
  if (digits?.length !== nine) throw new Misunderstood({ ...wanted, word: { ...first, text: typed, end } });
  return digits;
}

function idMeant(word: Word): { meant?: string | undefined; at?: Stretch } {
  if (isOneOf(word, [...fillers, 'number', 'no', 'nr']) || isPolite(word)) return { meant: '' };
  return { meant: digitsMeant(word.text) };
}

/** Returns the digits of a word made only of digits (also full-width ones) and separators; null for any other word. */
function digitsOf(word: Word): string | null {
  const digits = word.folded.replace(separators, '');
  return /\D/.test(digits) ? null : digits;
}

/** Whether a word is a link that Slack marked up (but not a phone number), or has a slash, like an address Slack did not recognize. */
function isLink(word: Word): boolean {
  if (word.mark?.kind === 'link') return !/^(?:tel|mailto):/i.test(word.mark.url);
  return word.text.includes('/') && !digitsOf(word) && !/^\/\p{L}+$/u.test(word.text);
}

function idInLink(word: Word, wanted: Holder | null): LinkId | null {
  const marked = word.mark?.kind === 'link' ? findLinkId(word.mark.url, wanted) : null;
  return marked ?? findLinkId(word.text, wanted);
}

function grouped(digits: string): string {
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
}
