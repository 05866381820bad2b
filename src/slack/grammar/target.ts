import { quote } from '../../core/model/format-request.ts';
import type { Followed } from '../../core/model/request.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { isItemId, maxItemIdLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { type Holder, type KindGrammar, kinds } from './kinds.ts';
import { across, Misunderstood, type Stretch, withExample } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, optionWords } from './option-rows.ts';
import { folderOption } from './paths.ts';
import type { Word } from './words.ts';

const separators = /[\s#.,/_·\-‐‑‒–—―−]/g;
const nine = 9;
const expected = 'project, folder, file, session or document, a 9-digit id or a link';

/**
 * Reads the resource to subscribe to or unsubscribe from: a kind with its ids, or a bare id or link. The word of an option cannot be an
 * item's id unless it is quoted. Throws `Misunderstood`.
 */
export function readTarget(cursor: Cursor, verb: 'subscribe' | 'unsubscribe'): Followed {
  const first = cursor.peek();
  const kind = kinds.find(({ word }) => first?.folded === word);
  if (kind && first) {
    cursor.skip();
    if (verb === 'subscribe' && kind.holder === 'project') expectNoPath(cursor, first);
    return withExample(`${verb} ${kind.example}`, () => readKind(cursor, kind, first));
  }
  if (!first || !(isLink(first) || digitsOf(first))) {
    throw new Misunderstood(first, expected, first ? targetMeant(cursor, first) : {});
  }
  if (verb === 'subscribe') expectNoPath(cursor, first);
  const { id, holder } = readId(cursor, null);
  switch (holder) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case null:
      expectNoKind(cursor, first, id);
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
function optionsFirst(cursor: Cursor): { meant: string; at: Stretch } | null {
  const [option] = cursor.ahead(() => false);
  if (!option || !endsList(option)) return null;
  const options = cursor.ahead(isTarget);
  const rest = cursor.ahead(() => false).slice(options.length);
  const next = rest.findIndex(endsList);
  const target = next === -1 ? rest : rest.slice(0, next);
  const last = target.at(-1);
  return last ? { meant: [...target, ...options].map(retyped).join(' '), at: across(option, last) } : null;
}

function retyped({ text, quoted, mark }: Word): string {
  if (mark?.kind === 'person') return `<@${mark.id}>`;
  return quoted ? quote(text) : text;
}

/** Corrects a line that does not begin with a resource. Words before one are left out. */
function targetMeant(cursor: Cursor, first: Word) {
  const meant = kindMeant(first);
  const reordered = meant === undefined ? optionsFirst(cursor) : { meant };
  return reordered ?? leftOutBefore(cursor, first, isTarget);
}

/** Leaves out the words before the next that `isWanted` accepts, if that comes before any option. */
function leftOutBefore(cursor: Cursor, first: Word, isWanted: (word: Word) => boolean) {
  const before = cursor.ahead((word) => isWanted(word) || endsList(word));
  const next = cursor.peek(before.length);
  return next && isWanted(next) ? { meant: '', at: across(first, before.at(-1) ?? first) } : {};
}

function isTarget(word: Word): boolean {
  const isKind = !word.quoted && kinds.some((kind) => kind.word === word.folded);
  return isKind || (!word.quoted && (isLink(word) || isWholeId(word)));
}

function kindMeant(word: Word): string | undefined {
  const [, kind, id] =
    /^(project|folder|file|session|document)s?[:=#_-]?(\d[\d -]*)$/.exec(word.folded) ?? [];
  if (kind !== undefined) return `${kind} ${id}`;
  if (word.quoted && /\s.*\d{3}/.test(word.text)) return word.text;
  return nearest(word.text, kinds) ?? digitsMeant(word.text);
}

/** Throws a correction if the kind was typed after the id. */
function expectNoKind(cursor: Cursor, first: Word, id: string): void {
  const next = cursor.peek();
  if (!next || !isOneOf(next, ['project', 'session'])) return;
  throw new Misunderstood(next, expected, { meant: `${next.folded} ${id}`, at: across(first, next) });
}

/**
 * Throws a correction if the path of a folder was typed right behind the project's id: `123-456-789/Plans/Level 1`. As a link, it would
 * lose its path.
 *
 * @param from what the correction replaces, up to the end of the path
 */
function expectNoPath(cursor: Cursor, from: Stretch): void {
  const first = cursor.peek();
  const [, id = '', start] = /^([\d\s-]{9,})\/(.*\p{L}.*)$/u.exec(first?.text ?? '') ?? [];
  const digits = id.replace(separators, '');
  if (!first || first.mark !== null || start === undefined || digits.length !== nine) return;
  const more = first.quoted ? 0 : cursor.ahead(endsList).length - 1;
  // More words belong to the path, or are left over.
  const meant = more > 0 ? undefined : `project ${grouped(digits)} ${folderOption(start)}`;
  throw new Misunderstood(first, 'an id without a path behind it', { meant, at: across(from, first) });
}

/** Reads an id with brackets or other signs around it; undefined if the text is not an id. */
function digitsMeant(text: string): string | undefined {
  const digits = text.replace(separators, '').replace(/^[(<[{]|[)>\]}:;!?]+$/g, '');
  return /^\d{9}$/.test(digits) ? grouped(digits) : undefined;
}

/** Whether a word can start a resource. */
export function beginsTarget(word: Word): boolean {
  return kinds.some((kind) => kind.word === word.folded) || isLink(word) || !!digitsOf(word);
}

/** Whether a word is a whole id of a project or session. */
export function isWholeId(word: Word): boolean {
  return digitsOf(word)?.length === nine;
}

function readKind(cursor: Cursor, kind: KindGrammar, kindWord: Word): Followed {
  const { id } = readId(cursor, kind, kindWord);
  switch (kind.word) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case 'folder':
    case 'file':
      return { kind: kind.word, projectId: id, itemId: readItemId(cursor, kind.word, kindWord, id) };
    case 'document':
      return { kind: 'document', sessionId: id, documentId: readItemId(cursor, kind.word, kindWord, id) };
  }
}

/** Reads the id of an item in the project or session with this id. */
function readItemId(cursor: Cursor, kind: TargetKind, kindWord: Word, holderId: string): string {
  const expected = `the id of the ${kind}`;
  const option = cursor.accept(...optionWords);
  if (option) throw new Misunderstood(option, expected);
  const word = cursor.take(expected);
  const id = word.text.trim();
  if (isItemId(id)) return id;
  const form = `${expected}, at most ${maxItemIdLength} characters long and without slashes`;
  const isPath = kind === 'folder' && /\p{L}/u.test(word.text) && !/[\p{Cc}]/u.test(word.text);
  // A path in place of a folder's id: what is meant is the project, filtered by that path.
  const meant = isPath ? `project ${holderId} ${folderOption(word.text)}` : undefined;
  throw new Misunderstood(word, form, { meant, at: across(kindWord, word) });
}

type FoundId = { readonly id: string; readonly holder: Holder | null };

function readId(cursor: Cursor, kind: KindGrammar | null, kindWord?: Word): FoundId {
  const expected = `the 9-digit id of a ${kind?.holder ?? 'project or session'}, or a link with it`;
  const first = cursor.peek();
  if (first && isLink(first)) return readLinkId(cursor, kind, kindWord);
  return { id: grouped(readDigits(cursor, expected)), holder: null };
}

function readLinkId(cursor: Cursor, kind: KindGrammar | null, kindWord?: Word): FoundId {
  const word = cursor.take('a link');
  const found = idInLink(word, kind?.holder ?? null);
  if (!found) throw withoutId(word, cursor.peek());
  if (kind && found.holder && found.holder !== kind.holder) {
    const meant = kind.item === null ? found.holder : undefined;
    throw new Misunderstood(word, `a link to a ${kind.holder}`, { meant, at: kindWord });
  }
  return { id: grouped(found.digits), holder: found.holder };
}

/** Makes the error for a link without an id, with a correction if it was pasted with a space in it. */
function withoutId(word: Word, next: Word | null): Misunderstood {
  const meant = word.text + (next?.text ?? '');
  return next && findLinkId(meant, null)
    ? new Misunderstood(word, 'a link without spaces', { meant, at: across(word, next) })
    : new Misunderstood(word, 'a link with a 9-digit id in it');
}

/** Reads nine digits, which may be spread over several words. */
function readDigits(cursor: Cursor, expected: string): string {
  const next = cursor.peek();
  const before = next ? leftOutBefore(cursor, next, isWholeId) : {};
  const first = cursor.take(expected);
  let digits = digitsOf(first);
  if (!digits) {
    const meant = digitsMeant(first.text);
    throw new Misunderstood(first, expected, meant ? { meant } : before);
  }
  let typed = first.text;
  while (digits.length < nine) {
    const next = cursor.takeUnless((word) => digitsOf(word) === null);
    if (!next) break;
    digits += digitsOf(next) ?? '';
    typed += ` ${next.text}`;
  }
  if (digits.length === nine) return digits;
  throw new Misunderstood({ ...first, ...cursor.stretchFrom(first), text: typed }, expected);
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

function idInLink(word: Word, wanted: Holder | null) {
  const marked = word.mark?.kind === 'link' ? findLinkId(word.mark.url, wanted) : null;
  return marked ?? findLinkId(word.text, wanted);
}

function grouped(digits: string): string {
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
}

/** The id of a project or session found in a link; `holder` is null if the link does not say which of the two. */
type LinkId = { readonly digits: string; readonly holder: Holder | null };

const nineDigits = /(?<![\p{L}\p{N}]|\d-)(?:\d{9}|\d{3}-\d{3}-\d{3})(?![\p{L}\p{N}]|-\d)/gu;
const adjoining = /(?:^|[/#])(project|session)s?\/$/i;

/**
 * Finds the 9-digit id in a link, grouped or not. If there are several, takes the last one right after `projects/` or `sessions/`
 * (the subject of a page comes last in its address), preferring the wanted holder, or else the first id. Null if there is none.
 */
function findLinkId(link: string, wanted: Holder | null): LinkId | null {
  const ids = [...link.matchAll(nineDigits)].map(({ 0: id, index }) => {
    const before = adjoining.exec(link.slice(Math.max(0, index - 'x/projects/'.length), index));
    return { digits: id.replaceAll('-', ''), holder: holderOf(before?.[1]), index };
  });
  const adjoined = ids.filter(({ holder }) => holder !== null);
  const found = adjoined.findLast(({ holder }) => holder === wanted) ?? adjoined.at(-1) ?? ids[0];
  return found ? { digits: found.digits, holder: found.holder ?? holderBefore(link, found.index) } : null;
}

/** Finds the last word for a holder before an id that does not directly follow it: `/projects/open?id=123456789`. */
function holderBefore(link: string, index: number): Holder | null {
  const words = link.slice(0, index).split(/[/?#]/);
  return holderOf(words.findLast((word) => holderOf(word) !== null));
}

function holderOf(word: string | undefined): Holder | null {
  const [, holder] = /^(project|session)s?$/.exec(word?.toLowerCase() ?? '') ?? [];
  return holder === 'project' || holder === 'session' ? holder : null;
}
