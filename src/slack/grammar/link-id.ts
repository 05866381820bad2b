import type { Holder } from './kinds.ts';

/** The id of a project or session found in a link; `holder` is null if the link does not say which of the two. */
type LinkId = { readonly digits: string; readonly holder: Holder | null };

const nineDigits = /(?<![\p{L}\p{N}]|\d-)(?:\d{9}|\d{3}-\d{3}-\d{3})(?![\p{L}\p{N}]|-\d)/gu;
const adjoining = /(?:^|[/#])(project|session)s?\/$/i;

/**
 * Finds the 9-digit id in a link, grouped or not. If there are several, takes the last one right after `projects/` or `sessions/`
 * (the subject of a page comes last in its address), preferring the wanted holder, or else the first id. Null if there is none.
 */
export function findLinkId(link: string, wanted: Holder | null): LinkId | null {
  const ids = [...link.matchAll(nineDigits)].map(({ 0: id, index }) => {
    const before = adjoining.exec(link.slice(Math.max(0, index - 'x/projects/'.length), index));
    return { digits: id.replaceAll('-', ''), holder: holderOf(before?.[1]), index };
  });
  const adjoined = ids.filter(({ holder }) => holder !== null);
  const found = adjoined.findLast(({ holder }) => holder === wanted) ?? adjoined.at(-1) ?? ids[0];
  return found ? { digits: found.digits, holder: found.holder ?? holderBefore(link, found.index) } : null;
}

/** Finds the last word for a holder before an id that does not directly follow it: `/projects/open?id=123456789`. */
function holderBefore(link: string, index: number): Holder | null {
  const words = link.slice(0, index).split(/[/?#]/);
  return holderOf(words.findLast((word) => holderOf(word) !== null));
}

function holderOf(word: string | undefined): Holder | null {
  const [, holder] = /^(project|session)s?$/.exec(word?.toLowerCase() ?? '') ?? [];
  return holder === 'project' || holder === 'session' ? holder : null;
}
