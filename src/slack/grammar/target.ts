import type { Command } from '../../core/model/commands.ts';
import type { Followed } from '../../core/model/request.ts';
import type { TargetKind } from '../../core/model/subscription.ts';
import { isItemId, maxItemIdLength } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import type { LinkId } from './link-id.ts';
import { findLinkId } from './link-id.ts';
import { Misunderstood } from './misunderstood.ts';
import type { Candidate } from './nearest.ts';
import { nearest } from './nearest.ts';
import type { Word } from './words.ts';

type Holder = 'project' | 'session';
type Kind = {
  readonly word: TargetKind;
  /** Whose id comes next. */
  readonly holder: Holder;
  /** What stands for the second id in help; null where there is none. */
  readonly item: 'ITEM' | 'DOCUMENT' | null;
  readonly example: string;
  readonly description: string;
};

/** What can be followed: both the parser and help are made of this. */
export const kinds: readonly Kind[] = [
  {
    word: 'project',
    holder: 'project',
    item: null,
    example: 'project 123-456-789',
    description: 'A project and everything in it; with itself, the project alone.',
  },
  {
    word: 'folder',
    holder: 'project',
    item: 'ITEM',
    example: 'folder 123-456-789 F100',
    description: 'One folder of a project.',
  },
  {
    word: 'file',
    holder: 'project',
    item: 'ITEM',
    example: 'file 123-456-789 F200',
    description: 'One file of a project.',
  },
  {
    word: 'session',
    holder: 'session',
    item: null,
    example: 'session 123-456-789',
    description: 'A session and its documents; with itself, the session alone.',
  },
  {
    word: 'document',
    holder: 'session',
    item: 'DOCUMENT',
    example: 'document 123-456-789 D300',
    description: 'One document of a session.',
  },
];

const kindCandidates: readonly Candidate[] = kinds;
const separators = /[\s#.,/_·\-‐‑‒–—―−]/g;
const nine = 9;

/** How a kind is typed, for help. */
export function kindUsage(kind: Kind): string {
  return kind.item === null ? `${kind.word} 123-456-789` : `${kind.word} 123-456-789 ${kind.item}`;
}

/**
 * Reads what is to be followed, or no longer: a kind with its ids, or a bare id or link. `endsItem` tells the words that cannot be an
 * item's id unless they are quoted. Throws `Misunderstood`.
 */
export function readTarget(
  cursor: Cursor,
  verb: Extract<Command, 'subscribe' | 'unsubscribe'>,
  endsItem: readonly string[],
): Followed {
  const example = `${verb} project 123-456-789`;
  const expected = 'project, folder, file, session or document, a 9-digit id or a link';
  const first = cursor.peek();
  const kind = kinds.find(({ word }) => first && first.folded === word);
  if (kind) {
    cursor.skip();
    return readKind(cursor, kind, { verb, endsItem });
  }
  if (!first || !(isLink(first) || digitsOf(first))) {
    const meant = first ? nearest(first.text, kindCandidates) : undefined;
    throw new Misunderstood({ word: first, expected, example, meant });
  }
  const { id, holder } = readId(cursor, null, example);
  switch (holder) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case null:
      return { kind: 'unknown', id };
  }
}

/** Whether a word can be the beginning of what `readTarget` reads. */
export function beginsTarget(word: Word): boolean {
  return kinds.some((kind) => kind.word === word.folded) || isLink(word) || !!digitsOf(word);
}

function readKind(
  cursor: Cursor,
  kind: Kind,
  { verb, endsItem }: { verb: string; endsItem: readonly string[] },
): Followed {
  const example = `${verb} ${kind.example}`;
  const { id } = readId(cursor, kind, example);
  switch (kind.word) {
    case 'project':
      return { kind: 'project', projectId: id };
    case 'session':
      return { kind: 'session', sessionId: id };
    case 'folder':
    case 'file':
      return { kind: kind.word, projectId: id, itemId: readItemId(cursor, kind.word, { example, endsItem }) };
    case 'document':
      return {
        kind: 'document',
        sessionId: id,
        documentId: readItemId(cursor, kind.word, { example, endsItem }),
      };
  }
}

function readItemId(
  cursor: Cursor,
  kind: string,
  { example, endsItem }: { example: string; endsItem: readonly string[] },
): string {
  const expected = `the id of the ${kind}`;
  if (isOneOf(cursor.peek(), endsItem)) {
    throw new Misunderstood({ word: cursor.peek(), expected, example });
  }
  const word = cursor.take({ expected, example });
  const id = word.text.trim();
  if (!isItemId(id)) {
    const form = `${expected}: at most ${maxItemIdLength} characters, and no slash among them`;
    throw new Misunderstood({ word, expected: form, example });
  }
  return id;
}

function readId(
  cursor: Cursor,
  kind: Kind | null,
  example: string,
): { readonly id: string; readonly holder: Holder | null } {
  const expected = `the 9-digit id of a ${kind?.holder ?? 'project or session'}, or a link with it`;
  const first = cursor.peek();
  if (first && isLink(first)) {
    cursor.skip();
    const found = idInLink(first, kind?.holder ?? null);
    if (!found) {
      throw new Misunderstood({ word: first, expected: 'a link with a 9-digit id in it', example });
    }
    if (kind && found.holder && found.holder !== kind.holder) {
      throw new Misunderstood({ word: first, expected: `a link to a ${kind.holder}`, example });
    }
    return { id: grouped(found.digits), holder: found.holder };
  }
  return { id: grouped(readDigits(cursor, { expected, example })), holder: null };
}

/** Nine digits from as many words as they were spread over. */
function readDigits(cursor: Cursor, wanted: { expected: string; example: string }): string {
  const first = cursor.take(wanted);
  let digits = digitsOf(first);
  let typed = first.text;
  let end = first.end;
  while (digits !== null && digits.length < nine) {
    const next = cursor.peek();
    const more = next && digitsOf(next);
    if (!next || more === null) {
      break;
    }
    cursor.skip();
    digits += more;
    typed += ` ${next.text}`;
    end = next.end;
  }
  if (digits?.length !== nine) {
    throw new Misunderstood({ ...wanted, word: { ...first, text: typed, end } });
  }
  return digits;
}

/** The digits of a word that is nothing but digits and what groups them (also full-width ones); null for all others. */
function digitsOf(word: Word): string | null {
  const digits = word.folded.replace(separators, '');
  return /\D/.test(digits) ? null : digits;
}

/** A link as Slack marks it, or anything with a slash: addresses that Slack did not recognise. A marked telephone number is none. */
function isLink(word: Word): boolean {
  if (word.mark?.kind === 'link') {
    return !/^(?:tel|mailto):/i.test(word.mark.url);
  }
  return word.text.includes('/') && !digitsOf(word);
}

function idInLink(word: Word, wanted: Holder | null): LinkId | null {
  const marked = word.mark?.kind === 'link' ? findLinkId(word.mark.url, wanted) : null;
  return marked ?? findLinkId(word.text, wanted);
}

function grouped(digits: string): string {
  return `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`;
}
