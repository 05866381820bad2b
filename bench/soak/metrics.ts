/** Returns the value at this share of the whole (0 to 1), such as 0.99 for p99; null if there are no values. */
export function percentile(values: readonly number[], part: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? null;
}

/** Growth over time, by least squares, and its standard error. */
export type Slope = { readonly perHour: number; readonly error: number };

/** Returns null for fewer than three points. Times in milliseconds. */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): Slope | null {
  if (points.length < 3) return null;
  const hours = points.map(({ at }) => at / 3_600_000);
  const meanHour = mean(hours);
  const meanValue = mean(points.map(({ value }) => value));
  const spread = sum(hours.map((hour) => (hour - meanHour) ** 2));
  if (spread === 0) return null;
  const together = sum(
    points.map(({ value }, index) => ((hours[index] ?? 0) - meanHour) * (value - meanValue)),
  );
  const perHour = together / spread;
  const rest = sum(
    points.map(({ value }, index) => (value - meanValue - perHour * ((hours[index] ?? 0) - meanHour)) ** 2),
  );
  return { perHour, error: Math.sqrt(rest / (points.length - 2) / spread) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
