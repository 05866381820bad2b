/**
 * Returns the smallest value that is at least as large as `share` of the values (nearest rank); NaN if there are none.
 * @param share from 0 to 1
 */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? Number.NaN;
}

/** Returns the median; NaN if there are no values. */
export function median(values: Iterable<number>): number {
  const sorted = Float64Array.from(values).sort();
  const [below, above] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return below === undefined || above === undefined ? Number.NaN : (below + above) / 2;
}

/** Returns the smallest gap between consecutive times; NaN if there are fewer than two. */
export function smallestGap(times: Iterable<number>): number {
  const sorted = Float64Array.from(times).sort();
  let least = Number.NaN;
  for (let index = 1; index < sorted.length; index++) {
    const gap = (sorted[index] ?? 0) - (sorted[index - 1] ?? 0);
    if (!(least <= gap)) least = gap;
  }
  return least;
}
