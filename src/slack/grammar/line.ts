import type { Fault, SubscribeRequest } from '../../core/model/request.ts';
import type { UrlTemplates } from '../../core/model/service-urls.ts';
import { spelling } from '../../core/model/typed-text.ts';
import type { KnownToReader } from '../../core/subscribing/read-with-known.ts';
import type { Part, Word } from './words.ts';

/** What a line is read with. `me`: who typed it; null for nobody. `templates`: by which a link to an item is one. */
export type ReadWith = KnownToReader & { readonly me?: string | null; readonly templates?: UrlTemplates };

export type Line = ReturnType<typeof makeLine>;

/** Walks once through the words of a line. Each is taken as understood, or left out; a sign that stands alone may be neither. */
export function makeLine(typed: readonly Word[], readWith: ReadWith = {}) {
  let words = typed;
  let at = 0;
  let leftOut: Part[] = [];
  let hasSlips = false;
  const beginnings = new Set(
    [...(readWith.names?.keys() ?? []), ...(readWith.places ?? [])].map(beginningOf),
  );
  return {
    with: readWith,
    /** Returns the next word, or null at the end; `ahead` skips that many words first. */
    peek: (ahead = 0): Word | null => words[at + ahead] ?? null,
    /** Takes the next words as understood. */
    take: (count = 1) => {
      at += count;
    },
    /** Takes a word as understood that has others before it, which stay. */
    takeAhead: (ahead: number) => {
      words = words.toSpliced(at + ahead, 1);
    },
    /** Leaves the next word out, unless it is only an emoji or punctuation. */
    leave: () => {
      const word = words[at];
      if (word && !isSign(word)) leftOut.push(word);
      at += 1;
    },
    /** Leaves out parts of words that were taken. */
    leaveOut: (parts: readonly Part[]) => {
      leftOut = [...leftOut, ...parts.filter((part) => !isSign(part))];
    },
    /** Notes that a word was mistyped. */
    noteSlip: (isSlip: boolean) => {
      hasSlips ||= isSlip;
    },
    /** Whether a known name or place begins with this word. */
    mayBegin: (word: Word) => beginnings.has(beginningOf(spelling(word.text))),
    get leftOut(): readonly Part[] {
      return leftOut.toSorted((one, other) => one.start - other.start);
    },
    get hasSlips(): boolean {
      return hasSlips;
    },
  };
}

/** Returns the first word of a spelled name. */
function beginningOf(spelled: string): string {
  return /^[^ /]*/.exec(spelled)?.[0] ?? '';
}

/** In words. Longer names are typed in quotes. */
const longestRun = 30;

/** Returns the longest run of words, from one on, that `isKnown` accepts in the form of `spelling`; null if none is. */
export function longestKnown(
  line: Line,
  from: number,
  isKnown: (spelled: string, first: Word, count: number) => boolean,
): { readonly text: string; readonly count: number } | null {
  const first = line.peek(from);
  if (first === null || !line.mayBegin(first)) return null;
  let found: { readonly text: string; readonly count: number } | null = null;
  let text = '';
  for (let count = 1; count <= longestRun; count += 1) {
    const word = line.peek(from + count - 1);
    if (word === null || (word.quoted && count > 1)) break;
    text = `${text} ${word.text}`.trim();
    if (isKnown(spelling(text), first, count)) found = { text, count };
    if (word.quoted) break;
  }
  return found;
}

/** Whether a word is only emoji, of which Slack sends some as `:tada:`, or punctuation. */
function isSign({ text }: Part): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(/\p{RGI_Emoji}|:[\w+'\-]{1,64}:/gv, ''));
}

/** What a subscribe line can set, apart from what is subscribed to. */
export type SaidOptions = Pick<
  SubscribeRequest,
  'comprehensive' | 'filters' | 'when' | 'threads' | 'name' | 'ping'
>;

/** An option whose value is wrong or missing. Nothing of the line runs then. */
export type ValueFault = Fault & {
  /** The values to offer, each as typed and as what it sets. */
  readonly instead?: readonly { readonly words: string; readonly said: Partial<SaidOptions> }[];
};
