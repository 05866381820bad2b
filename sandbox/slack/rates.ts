import type { Changes } from './changes.ts';
import { rates, type Tier } from './limits.ts';
import type { Violations } from './violations.ts';

/** `strict` refuses calls that come too fast and records them, `record` only records them, `off` only counts them. */
export type RateMode = 'strict' | 'record' | 'off';

export interface RatedCall {
  method: string;
  teamId: string;
  tier: Tier | undefined;
  /** The channel a message is posted to: `chat.postMessage` is counted per channel. */
  postsTo: string | undefined;
}

interface RatesDeps {
  now: () => number;
  violations: Violations;
  changes: Changes;
  mode: RateMode;
  workspacePostsPerMinute: number;
}

/** A sliding window: how long until one more call is allowed. */
function makeWindow(now: () => number) {
  const times = new Map<string, number[]>();
  return {
    /** Returns the milliseconds to wait; 0 if a call is allowed. */
    wait(key: string, allowed: number): number {
      const recent = (times.get(key) ?? []).filter((time) => now() - time < rates.tierWindowMs);
      times.set(key, recent);
      const oldest = recent[recent.length - allowed];
      return oldest === undefined ? 0 : oldest + rates.tierWindowMs - now();
    },
    count: (key: string): void => {
      times.set(key, [...(times.get(key) ?? []), now()]);
    },
  };
}

/** One message per second with a burst of three: the time when the next message is due, by channel. */
function makeBuckets(now: () => number) {
  const due = new Map<string, number>();
  return {
    wait: (key: string): number =>
      Math.max(0, (due.get(key) ?? 0) - now() - (rates.postBurst - 1) * rates.postEveryMs),
    count: (key: string): void => {
      due.set(key, Math.max(due.get(key) ?? 0, now()) + rates.postEveryMs);
    },
  };
}

/**
 * Counts calls as Slack does: per method, workspace and minute, and posts per channel and second. A refused call is not counted itself, in
 * any mode.
 */
export function makeRates({ now, violations, changes, mode, workspacePostsPerMinute }: RatesDeps) {
  const minutes = makeWindow(now);
  const channels = makeBuckets(now);
  let current = mode;
  let exceeded = 0;

  function longestWait({ method, teamId, tier, postsTo }: RatedCall): number {
    const waits = [
      tier === undefined ? 0 : minutes.wait(`${teamId} ${method}`, rates.tiers[tier]),
      postsTo === undefined ? 0 : channels.wait(`${teamId} ${postsTo}`),
      postsTo === undefined ? 0 : minutes.wait(`${teamId} posts`, workspacePostsPerMinute),
    ];
    return Math.max(...waits);
  }

  function count({ method, teamId, tier, postsTo }: RatedCall): void {
    if (tier !== undefined) minutes.count(`${teamId} ${method}`);
    if (postsTo === undefined) return;
    channels.count(`${teamId} ${postsTo}`);
    minutes.count(`${teamId} posts`);
  }

  return {
    get mode(): RateMode {
      return current;
    },
    set mode(next: RateMode) {
      current = next;
      changes.notify();
    },
    /** The number of calls that came too fast, in any mode. */
    exceeded: () => exceeded,
    /** Counts the call. Returns the seconds of `Retry-After` if the call is refused. */
    take(call: RatedCall): number | undefined {
      const wait = longestWait(call);
      if (wait === 0) {
        count(call);
        return undefined;
      }
      exceeded += 1;
      if (current !== 'off') {
        const where = call.postsTo === undefined ? '' : ` in ${call.postsTo}`;
        const sentence = `${call.method}${where} came ${wait} ms too early.`;
        violations.add({ kind: 'rate', method: call.method, sentence, teamId: call.teamId });
      }
      return current === 'strict' ? Math.ceil(wait / 1000) : undefined;
    },
  };
}
