/** Says what was missed, unless a summary in the same message does. */
export function missedWords(missed: number | null) {
  if (missed === null) return ' I don’t know what changed in the meantime.';
  return missed === 0 ? ' No changes in the meantime.' : '';
}
