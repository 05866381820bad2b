import type { SwitchBoard } from './switches.ts';

const MINUTE_MS = 60_000;

export type Limits = {
  /** Counts a request of the user; returns the seconds to wait if it exceeds the limit. */
  tooMany(user: string): number | undefined;
  /** Returns whether the user has no other create in flight; if so, marks one until `endCreate`. */
  beginCreate(user: string): boolean;
  endCreate(user: string): void;
};

/** Creates the rate limits of one service, as switched. */
export function makeLimits({ switches, now }: { switches: SwitchBoard; now: () => Date }): Limits {
  const requests = new Map<string, number[]>();
  const creating = new Set<string>();
  return {
    tooMany(user) {
      const most = switches.get('requestsPerMinute');
      if (most <= 0) return;
      const at = now().getTime();
      const recent = (requests.get(user) ?? []).filter((before) => at - before < MINUTE_MS);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= most) return Math.ceil((oldest + MINUTE_MS - at) / 1000);
      requests.set(user, [...recent, at]);
      return;
    },
    beginCreate(user) {
      if (switches.get('concurrentCreates') === 'allowed') return true;
      if (creating.has(user)) return false;
      creating.add(user);
      return true;
    },
    endCreate(user) {
      creating.delete(user);
    },
  };
}
