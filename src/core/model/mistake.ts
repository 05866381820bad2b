import type { Request } from './request.ts';

/** The request in a typed line, or why it was not understood. */
export type Parsed =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly mistake: Mistake };

/** Why a typed line was not understood. All of it is plain text that is not escaped yet. */
export type Mistake = {
  /** The word as typed, shortened; null if something is missing at the end. */
  readonly word: string | null;
  /** The last word that was understood before it, shortened. */
  readonly after: string | null;
  /** What was expected there; it follows "expected" in a sentence. */
  readonly expected: string;
  /** What the person probably meant instead of the word. */
  readonly meant?: string | undefined;
  /** A complete command that works, in the form this person typed; if possible their own line, corrected. */
  readonly example: string;
  /** What the corrected line asks for; null if there is no correction. */
  readonly correction: Request | null;
  /** The typed words that the corrected line does not have: none is dropped unseen. */
  readonly leftOut: string;
};
