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
