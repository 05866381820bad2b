/** Longest text kept of one field. Slack shows far less; a path of a deep folder tree stays well below. */
const longestText = 4_000;

/**
 * Text as Postgres can keep it in `text` and `jsonb`: NUL characters and lone surrogates become U+FFFD, what is longer than `longest`
 * UTF-16 units is cut between characters.
 */
export function storable(text: string, longest: number = longestText): string {
  return withoutHalfCharacter(text, longest).toWellFormed().replaceAll('\0', '\uFFFD');
}

function withoutHalfCharacter(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const last = text.charCodeAt(longest - 1);
  const isHighSurrogate = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHighSurrogate ? longest - 1 : longest);
}
