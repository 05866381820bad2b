/** Whether another try is allowed and, if not, how long to wait. */
export type Allowance =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly retryInSeconds: number };

export type RateLimit = { readonly take: (key: string) => Allowance };

type RateLimitOptions = {
  readonly most: number;
  readonly withinMs: number;
  /** Maximum number of keys; beyond it, the least recently used key is dropped. */
  readonly keys: number;
  /** Monotonic time in milliseconds. */
  readonly now: () => number;
};

/** Counts tries per key in a sliding window, within this process. Refused tries do not count, so waiting is enough. */
export function makeRateLimit({ most, withinMs, keys, now }: RateLimitOptions): RateLimit {
  const tries = new Map<string, number[]>();
  /** The last entry of `tries`. */
  let latest: string | null = null;

  /** Makes a key the most recently used one. */
  function use(key: string, recent: number[]): void {
    if (key === latest) return;
    tries.delete(key);
    tries.set(key, recent);
    latest = key;
    const oldest = tries.keys().next().value;
    if (tries.size > keys && oldest !== undefined) tries.delete(oldest);
  }

  return {
    take(key) {
      const at = now();
      const recent = tries.get(key) ?? [];
      while (recent[0] !== undefined && recent[0] <= at - withinMs) recent.shift();
      use(key, recent);
      const first = recent[0];
      if (first !== undefined && recent.length >= most) {
        return { allowed: false, retryInSeconds: Math.max(1, Math.ceil((first + withinMs - at) / 1_000)) };
      }
      recent.push(at);
      return { allowed: true };
    },
  };
}
