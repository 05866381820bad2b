import { digitSeparators, readNineDigits } from '../../core/model/typed-text.ts';
import type { Word } from './words.ts';

const nine = 9;

/** What an id of nine digits is of. */
export type Holder = 'project' | 'session';

/** The id of a project or session as typed. */
export type TypedId = {
  /** Three groups of three digits joined by hyphens. */
  readonly id: string;
  /** What a link says it is of; null for a link that does not say, and for a bare id. */
  readonly holder: Holder | null;
  /** How many words it takes. */
  readonly count: number;
};

/**
 * Returns the id that starts at a word: nine digits in any grouping, which may be spread over several words, or a link with them. Null if
 * none does.
 *
 * @param peek returns the words from there on
 * @param wanted which id of a link is preferred if it has several
 */
export function idAt(peek: (ahead: number) => Word | null, wanted: Holder | null): TypedId | null {
  const first = peek(0);
  if (first === null) return null;
  const found = isLink(first) ? idInLink(first, wanted) : null;
  if (found) return { id: found.id, holder: found.holder, count: 1 };
  let digits = digitsOf(first);
  if (digits === '') return null;
  let count = 1;
  for (let next = peek(count); digits && digits.length < nine && next !== null; next = peek(count)) {
    const more = digitsOf(next);
    // The next id begins here.
    if (more === null || more.length === nine) break;
    digits += more;
    count += 1;
  }
  const id = readNineDigits(digits ?? '');
  return id === null ? null : { id, holder: null, count };
}

/** Returns the digits of a word made only of digits (also full-width ones) and signs around or between them; null for any other word. */
function digitsOf({ folded, mark }: Word): string | null {
  if (mark?.kind === 'person' || mark?.kind === 'channel') return null;
  const digits = folded.replace(digitSeparators, '').replace(/^[(<[{]{1,3}|[)>\]}:;!?]{1,3}$/g, '');
  return /\D/.test(digits) ? null : digits;
}

/** Whether a word is a link that Slack marked up (but not a phone number), or an address that Slack did not recognize: `studio.example/…`. */
function isLink({ mark, text }: Word): boolean {
  if (mark !== null) return mark.kind === 'link' && !/^(?:tel|mailto):/i.test(mark.url);
  const slash = text.indexOf('/');
  return slash > 0 && /[.:]/.test(text.slice(0, slash));
}

function idInLink({ mark, text }: Word, wanted: Holder | null): LinkId | null {
  const marked = mark?.kind === 'link' ? findLinkId(mark.url, wanted) : null;
  return marked ?? findLinkId(text, wanted);
}

/** The id of a project or session found in a link; `holder` is null if the link does not say which of the two. */
type LinkId = Pick<TypedId, 'id' | 'holder'>;

const nineDigits = /(?<![\p{L}\p{N}]|\d-)(?:\d{9}|\d{3}-\d{3}-\d{3})(?![\p{L}\p{N}]|-\d)/gu;
const adjoining = /(?:^|[/#])(project|session)s?\/$/i;

/**
 * Finds the 9-digit id in a link, grouped or not. If there are several, takes the last one right after `projects/` or `sessions/`
 * (the subject of a page comes last in its address), preferring the wanted holder, or else the first id. Null if there is none.
 */
function findLinkId(link: string, wanted: Holder | null): LinkId | null {
  const ids = [...link.matchAll(nineDigits)].map(({ 0: id, index }) => {
    const before = adjoining.exec(link.slice(Math.max(0, index - 'x/projects/'.length), index));
    return { id: readNineDigits(id) ?? '', holder: holderOf(before?.[1]) };
  });
  const adjoined = ids.filter(({ holder }) => holder !== null);
  return adjoined.findLast(({ holder }) => holder === wanted) ?? adjoined.at(-1) ?? ids[0] ?? null;
}

function holderOf(word: string | undefined): Holder | null {
  const holder = word?.toLowerCase();
  return holder === 'project' || holder === 'session' ? holder : null;
}
