export type RetryOptions = {
  /** Milliseconds before the second try; each further wait is twice as long, up to `most`. */
  readonly waits: { readonly first: number; readonly most: number };
  /** Whether another try, after so many milliseconds, is worth it. */
  readonly goesOn: (error: unknown, waitMs: number) => boolean;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Told of each failure that is followed by another try. */
  readonly failed?: ((error: unknown) => void) | undefined;
};

/** Does what must not be left undone for a passing fault's sake. Throws the last failure where it is not worth another try. */
export async function retry(
  act: () => Promise<void>,
  { waits, goesOn, sleep, failed }: RetryOptions,
): Promise<void> {
  for (let wait = waits.first; ; wait = Math.min(wait * 2, waits.most)) {
    try {
      return await act();
    } catch (error) {
      if (!goesOn(error, wait)) throw error;
      failed?.(error);
      await sleep(wait);
    }
  }
}
