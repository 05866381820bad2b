/** Suggests the next name for an item: `A-101 Floor plan.pdf` becomes `A-101 Floor plan rev B.pdf`, then `… rev C.pdf`. */
export function nextName(name: string): string {
  const [, stem = name, ending = ''] = /^(.+?)(\.[A-Za-z0-9]{1,5})?$/.exec(name) ?? [];
  const [, before = stem, letter] = /^(.*) rev ([A-Y])$/.exec(stem) ?? [];
  const next = letter === undefined ? 'B' : String.fromCharCode(letter.charCodeAt(0) + 1);
  return `${before} rev ${next}${ending}`;
}
