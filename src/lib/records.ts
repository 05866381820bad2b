import type { ZodType } from 'zod';

/** A key-value store for values of one kind. Their time to live, if any, starts at the last `set`. */
export type Records<T> = {
  readonly get: (key: string) => Promise<T | undefined>;
  readonly set: (key: string, value: T) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};

/** A kind of records. Values that do not fit `schema` were written by another release and count as missing. */
export type RecordKind<T> = {
  /** Lower-case letters and hyphens; the prefix of the key, followed by a colon. */
  readonly namespace: string;
  /** Time to live in milliseconds; unlimited by default. */
  readonly ttlMs?: number | undefined;
  readonly schema?: ZodType<T> | undefined;
};

/** Returns the value recorded under a key; if there is none, calls `ask` and records its result. */
export async function recorded<T>(
  records: Pick<Records<T>, 'get' | 'set'>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const kept = await records.get(key);
  if (kept !== undefined) return kept;
  const found = await ask();
  await records.set(key, found);
  return found;
}

/**
 * Caches answers for a while, so that a hundred equal questions within a second lead to one call of `ask`. Errors are not cached. With
 * `again`, `ask` is called whatever is cached.
 * @param options `now`: monotonic time in milliseconds; `most`: maximum cached answers, beyond which the cache is cleared
 */
export function makeRemember<Value>({
  forMs,
  most,
  now,
}: {
  readonly forMs: number;
  readonly most: number;
  readonly now: () => number;
}): (key: string, ask: () => Promise<Value>, options?: { readonly again: boolean }) => Promise<Value> {
  const answers = new Map<string, { readonly until: number; readonly answer: Promise<Value> }>();
  return (key, ask, { again } = { again: false }) => {
    const known = answers.get(key);
    if (!again && known && known.until > now()) return known.answer;
    if (answers.size >= most) answers.clear();
    const asked = { until: now() + forMs, answer: ask() };
    answers.set(key, asked);
    const { answer } = asked;
    answer.catch(() => {
      if (answers.get(key) === asked) answers.delete(key);
    });
    return answer;
  };
}
