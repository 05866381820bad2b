const start = '<!-- bench:start -->';
const end = '<!-- bench:end -->';

/** Returns what is between a page's markers; empty if it has none. */
export function sectionOf(page: string): string {
  const [, section = ''] = page.split(start);
  return section.split(end)[0]?.trim() ?? '';
}

/**
 * Returns a page with `section` between its markers and everything else unchanged. Missing markers are added at the end.
 * @throws if only one of them exists, or they are in the wrong order
 */
export function betweenMarkers(page: string, section: string): string {
  const block = `${start}\n${section.trim()}\n${end}`;
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from === -1 && to === -1) return `${page.trimEnd()}\n\n${block}\n`;
  if (from === -1 || to < from) throw new Error(`the page needs ${start} followed by ${end}, or neither`);
  return page.slice(0, from) + block + page.slice(to + end.length);
}
