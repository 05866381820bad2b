/** A key-value store for values of one kind. Their time to live, if any, starts at the last `set`. */
export type Records<T> = {
  readonly get: (key: string) => Promise<T | undefined>;
  readonly set: (key: string, value: T) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
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
