/** A path without its outer slashes. Not by `/\/+$/`: on a long run of slashes inside a path that takes the square of its length. */
export function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}
