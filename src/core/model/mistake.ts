import type { Request } from './request.ts';

/** Why a typed line was not understood. All of it is plain text that still has to be escaped. */
export type Mistake = {
  /** The word as typed, shortened; null where something is missing at the end. */
  readonly word: string | null;
  /** Where that word begins in the text of the command, or where the missing one would. */
  readonly position: number;
  /** The last word that was understood before it, shortened. */
  readonly after: string | null;
  /** What was expected there: it goes behind "expected" in a sentence. */
  readonly expected: string;
  /** What was probably meant instead of the word. */
  readonly meant?: string | undefined;
  /** A whole command that works, in the form this person typed; where possible their own line, corrected. */
  readonly example: string;
  /** What the corrected line asks for; null where there is none, or where it holds something made up. */
  readonly correction: Request | null;
};
