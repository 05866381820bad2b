/** Values of one kind by key. Their time to live, if there is one, runs from the last `set`. */
export type Records<T> = {
  readonly get: (key: string) => Promise<T | undefined>;
  readonly set: (key: string, value: T) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};

/** The value that is recorded under a key; else what `ask` finds, which is recorded from then on. */
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
