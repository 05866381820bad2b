/**
 * Remembers answers for a while, so that the same question asked a hundred times in a second is asked once. A failure is not
 * remembered.
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
}): (key: string, ask: () => Promise<Value>) => Promise<Value> {
  const answers = new Map<string, { readonly until: number; readonly answer: Promise<Value> }>();
  return (key, ask) => {
    const known = answers.get(key);
    if (known && known.until > now()) return known.answer;
    if (answers.size >= most) answers.clear();
    const answer = ask();
    answers.set(key, { until: now() + forMs, answer });
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
