/** Maximum length of a stored field. Slack shows far less, and even the path in a deep folder tree is much shorter. */
const longestText = 4_000;

/**
 * Makes text storable in Postgres `text` and `jsonb`: see `cleaned`; text longer than `longest` UTF-16 units is cut between characters. What
 * comes from outside passes here once, where it is parsed.
 */
export function storable(text: string, longest: number = longestText): string {
  const isLong = text.length > longest;
  return cleaned(isLong ? text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '') : text);
}

/** Replaces by U+FFFD what neither Postgres nor UTF-8 can store: NUL characters and lone surrogates. */
export function cleaned(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Parses JSON; returns undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a path without its outer slashes. Does not use `/\/+$/`, which takes quadratic time on a long run of slashes inside a path. */
export function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}

/** Counts letters that are missing, added, wrong or swapped with the next one (optimal string alignment). */
export function countSlips(typed: string, meant: string): number {
  let before: number[] = [];
  let above = Array.from({ length: meant.length + 1 }, (_, column) => column);
  for (let row = 1; row <= typed.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= meant.length; column += 1) {
      const mistaken = typed[row - 1] === meant[column - 1] ? 0 : 1;
      const swapped = typed[row - 1] === meant[column - 2] && typed[row - 2] === meant[column - 1];
      line.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (line[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + mistaken,
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = line;
  }
  return above[meant.length] ?? 0;
}
