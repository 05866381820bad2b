import type { Request } from './request.ts';

/** The request in a typed line, or why the line does not run at once. */
export type Parsed =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly mistake: Mistake };

/** Why a typed line does not run at once. All texts are plain, not escaped. */
export type Mistake = {
  /** What was understood of the line; null if that is no request yet. It runs if the person agrees, unless there are faults. */
  readonly understood: Request | null;
  /** The words that were left out, as typed. None of them is part of what was understood. */
  readonly leftOut: string;
  /** The options whose values are wrong or missing. */
  readonly faults: readonly Fault[];
  /** What to offer with a button each: one of several targets, or the values that there are in place of a wrong one. */
  readonly choices: readonly Choice[];
  /** What the line lacks altogether; null if nothing. */
  readonly lacks: 'target' | 'command' | null;
};

/** An option whose value is wrong or missing. */
export type Fault = {
  /** The option as it is typed. */
  readonly option: string;
  /** The wrong value, shortened; null if there is none. */
  readonly value: string | null;
  /** What there is; follows "Use" in a sentence. */
  readonly expected: string;
};

/** A request to offer, and the words that name it beside the others. */
export type Choice = { readonly words: string; readonly request: Request };
