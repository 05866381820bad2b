import fc from 'fast-check';
import { expect } from 'vitest';
import {
  makeSealing,
  type SealedPlace,
  type TokenKey,
  UnsealError,
} from '../../../src/store/sealing/sealing.ts';

export const first: TokenKey = { id: 'first', secret: new Uint8Array(32).fill(1) };
export const second: TokenKey = { id: 'second', secret: new Uint8Array(32).fill(2) };
export const sealing = makeSealing([first]);
export const place: SealedPlace = { table: 'links', row: 'row-1', column: 'sealed_access_token' };

export const anyText = fc.string({ unit: 'grapheme', maxLength: 60 });
export const anyPlace = fc.record({ table: anyText, row: anyText, column: anyText });

/** Returns the error with which a text was not opened; throws if it was opened. */
export async function refusal(opening: Promise<string>): Promise<UnsealError> {
  const outcome = await opening.then(
    () => 'it opened',
    (error: unknown) => error,
  );
  if (outcome instanceof UnsealError) return outcome;
  throw new Error(`not refused: ${String(outcome)}`);
}

/** Expects any text, sealed for any place, to open there unchanged. */
export async function expectSameBack(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyPlace, anyText, async (anywhere, text) => {
      expect(await sealing.open(anywhere, await sealing.seal(anywhere, text))).toBe(text);
    }),
    { numRuns },
  );
}

/** Expects a sealed text with any single character changed not to open. */
export async function expectChangesRefused(numRuns: number): Promise<void> {
  const sealed = await sealing.seal(place, 'xoxb-the-token');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+/= \n';
  const change = fc.record({ at: fc.nat(sealed.length - 1), to: fc.constantFrom(...alphabet.split('')) });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, to }) => {
      fc.pre(sealed[at] !== to);
      await refusal(sealing.open(place, `${sealed.slice(0, at)}${to}${sealed.slice(at + 1)}`));
    }),
    { numRuns },
  );
}
