/** Returns a path without its outer slashes. Does not use `/\/+$/`, which takes quadratic time on a long run of slashes inside a path. */
export function trimSlashes(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}
