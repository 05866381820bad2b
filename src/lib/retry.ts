export type RetryOptions = {
  /** Milliseconds before the second try; each further wait is twice as long, up to `most`. */
  readonly waits: { readonly first: number; readonly most: number };
  /** Whether to retry after waiting `waitMs`. */
  readonly shouldRetry: (error: unknown, waitMs: number) => boolean;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Called for each failure that is retried. */
  readonly failed?: ((error: unknown) => void) | undefined;
};

/** Retries work after passing failures. Throws the last failure if it is not worth a retry. */
export async function retry(
  act: () => Promise<void>,
  { waits, shouldRetry, sleep, failed }: RetryOptions,
): Promise<void> {
  for (let wait = waits.first; ; wait = Math.min(wait * 2, waits.most)) {
    try {
      return await act();
    } catch (error) {
      if (!shouldRetry(error, wait)) throw error;
      failed?.(error);
      await sleep(wait);
    }
  }
}
