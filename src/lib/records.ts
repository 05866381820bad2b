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
