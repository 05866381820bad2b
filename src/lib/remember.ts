/**
 * Remembers answers for a while, so that the same question asked a hundred times in a second is asked once. A failure is not
 * remembered. With `again` the question is asked whatever is remembered.
 * @param options `now`: milliseconds of a clock that never jumps; `most`: answers kept, beyond which all are forgotten
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
