import type { Part, Word } from './words.ts';

/** What a line is read with. */
export type ReadWith = {
  /** The Slack user who typed it; without one, `me` is nobody. */
  readonly me?: string | null;
  /** How the folders and items of the line's project that this person may know of are typed, as `spelling` returns them. */
  readonly places?: ReadonlySet<string>;
};

/** Walks once through the words of a line. Each is taken as understood, or left out; a sign that stands alone may be neither. */
export type Line = {
  readonly with: ReadWith;
  /** Returns the next word, or null at the end; `ahead` skips that many words first. */
  peek(ahead?: number): Word | null;
  /** Takes the next words as understood. */
  take(count?: number): void;
  /** Leaves the next word out, unless it is only an emoji or punctuation. */
  leave(): void;
  /** Leaves out parts of words that were taken. */
  leaveOut(parts: readonly Part[]): void;
  /** Notes that a word was mistyped. */
  noteSlip(isSlip: boolean): void;
  readonly leftOut: readonly Part[];
  readonly hasSlips: boolean;
};

export function makeLine(words: readonly Word[], readWith: ReadWith = {}): Line {
  let at = 0;
  let leftOut: Part[] = [];
  let hasSlips = false;
  return {
    with: readWith,
    peek: (ahead = 0) => words[at + ahead] ?? null,
    take: (count = 1) => {
      at += count;
    },
    leave: () => {
      const word = words[at];
      if (word && !isSign(word)) leftOut.push(word);
      at += 1;
    },
    leaveOut: (parts) => {
      leftOut = [...leftOut, ...parts.filter((part) => !isSign(part))];
    },
    noteSlip: (isSlip) => {
      hasSlips ||= isSlip;
    },
    get leftOut() {
      return leftOut.toSorted((one, other) => one.start - other.start);
    },
    get hasSlips() {
      return hasSlips;
    },
  };
}

/** Whether a word is only emoji, of which Slack sends some as `:tada:`, or punctuation. */
function isSign({ text }: Part): boolean {
  return !/[\p{L}\p{N}]/u.test(text.replace(/\p{RGI_Emoji}|:[\w+'\-]{1,64}:/gv, ''));
}
