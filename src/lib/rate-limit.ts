/** Whether another try is allowed and, if not, how long to wait. */
export type Allowance =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryInSeconds: number };

type RateLimitOptions = {
  readonly most: number;
  readonly withinMs: number;
  /** Maximum number of keys; beyond it, the least recently used key is dropped. */
  readonly keys: number;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
};

/** Counts tries per key in a sliding window, within this process. Refused tries do not count, so waiting is enough. */
export function makeRateLimit({ most, withinMs, keys, now }: RateLimitOptions): (key: string) => Allowance {
  const tries = new Map<string, readonly number[]>();
  return (key) => {
    const at = now();
    const recent = (tries.get(key) ?? []).filter((tried) => tried > at - withinMs);
    const [first = at] = recent;
    const allowed = recent.length < most;
    tries.delete(key);
    tries.set(key, allowed ? [...recent, at] : recent);
    const oldest = tries.keys().next().value;
    if (tries.size > keys && oldest !== undefined) tries.delete(oldest);
    if (allowed) return { allowed };
    return { allowed, retryInSeconds: Math.max(1, Math.ceil((first + withinMs - at) / 1_000)) };
  };
}
