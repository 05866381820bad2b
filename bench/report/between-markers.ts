const start = '<!-- bench:start -->';
const end = '<!-- bench:end -->';

/**
 * A page with `section` between its markers, and every other character as it was. Where the markers are not there, they come at the
 * end. @throws where there is only one of them, or they stand the wrong way round
 */
export function betweenMarkers(page: string, section: string): string {
  const block = `${start}\n${section.trim()}\n${end}`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 && to === -1) return `${page.trimEnd()}\n\n${block}\n`;
  if (from === -1 || to < from) throw new Error(`the page needs ${start} and behind it ${end}, or neither`);
  return page.slice(0, from) + block + page.slice(to + end.length);
}
