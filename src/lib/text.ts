/** Maximum length of a stored field. Slack shows far less, and even the path in a deep folder tree is much shorter. */
const longestText = 4_000;

/**
 * Makes text storable in Postgres `text` and `jsonb`: see `cleaned`; text longer than `longest` UTF-16 units is cut between characters. What
 * comes from outside passes here once, where it is parsed.
 */
export function storable(text: string, longest: number = longestText): string {
  return cleaned(withoutHalfCharacter(text, longest));
}

/** Replaces by U+FFFD what neither Postgres nor UTF-8 can store: NUL characters and lone surrogates. */
export function cleaned(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function withoutHalfCharacter(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHighSurrogate ? longest - 1 : longest);
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
