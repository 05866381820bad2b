type RetryOptions = {
  /** The first wait in milliseconds; each further wait doubles, up to `most`. */
  readonly waits: { readonly first: number; readonly most: number };
  /** Whether to retry after waiting `waitMs`. */
  readonly shouldRetry: (error: unknown, waitMs: number) => boolean;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
  /** Called for each failure that is retried. */
  readonly failed?: ((error: unknown) => void) | undefined;
};

/** Retries work after transient errors. Throws the last error once `shouldRetry` declines. */
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
