/** Durations and repetitions of the measurements. Durations are in seconds. */
export type Plan = {
  readonly acceptance: { warm: number; seconds: number; rounds: number; connections: readonly number[] };
  readonly latency: { rate: number; seconds: number; rounds: number };
  readonly endToEnd: readonly { rate: number; seconds: number }[];
  /** `rate`: over HTTP; `flood`: slightly more than one per second and channel, stored as another process would. */
  readonly posting: {
    rate: number;
    seconds: number;
    floodChannels: number;
    floodSeconds: number;
    rounds: number;
  };
  readonly bursts: readonly { count: number; withinSeconds: number }[];
  readonly fairness: { rounds: number; seconds: number; rate: number; waiting: number };
  readonly afternoon: { seconds: number; rate: number; flood: number; floodRate: number; watch: number };
  readonly start: { rounds: number };
  readonly idle: { settle: number; seconds: number };
  readonly memory: { idle: number; load: number; after: number };
  readonly takeover: { kills: number };
  readonly malformed: { warm: number; most: number; connections: number; after: number };
  readonly big: { subscriptions: number; events: number };
};

/** For published figures. */
export const fullPlan: Plan = {
  acceptance: { warm: 1, seconds: 4, rounds: 3, connections: [1, 8, 64, 256] },
  latency: { rate: 200, seconds: 15, rounds: 3 },
  endToEnd: [
    { rate: 5, seconds: 60 },
    { rate: 50, seconds: 30 },
    { rate: 200, seconds: 30 },
  ],
  posting: { rate: 100, seconds: 20, floodChannels: 1_000, floodSeconds: 15, rounds: 3 },
  bursts: [
    { count: 2_000, withinSeconds: 4 },
    { count: 10_000, withinSeconds: 12 },
  ],
  fairness: { rounds: 3, seconds: 8, rate: 50, waiting: 10_000 },
  afternoon: { seconds: 15, rate: 20, flood: 2_000, floodRate: 200, watch: 60 },
  start: { rounds: 5 },
  // Chores run every minute, but twice in the first one; an idle process sweeps less often after some seconds.
  idle: { settle: 45, seconds: 120 },
  memory: { idle: 20, load: 20, after: 20 },
  takeover: { kills: 5 },
  malformed: { warm: 5, most: 100_000, connections: 16, after: 10 },
  big: { subscriptions: 1_000_000, events: 10_000_000 },
};

/** To check that everything works. */
export const quickPlan: Plan = {
  acceptance: { warm: 0.5, seconds: 1, rounds: 1, connections: [1, 8, 64, 256] },
  latency: { rate: 200, seconds: 4, rounds: 1 },
  endToEnd: [
    { rate: 5, seconds: 6 },
    { rate: 50, seconds: 6 },
    { rate: 200, seconds: 6 },
  ],
  posting: { rate: 100, seconds: 8, floodChannels: 1_000, floodSeconds: 6, rounds: 1 },
  bursts: fullPlan.bursts,
  fairness: { rounds: 1, seconds: 6, rate: 50, waiting: 10_000 },
  afternoon: { seconds: 4, rate: 20, flood: 400, floodRate: 200, watch: 12 },
  start: { rounds: 3 },
  idle: { settle: 15, seconds: 20 },
  memory: { idle: 3, load: 4, after: 3 },
  takeover: { kills: 1 },
  malformed: { warm: 2, most: 5_000, connections: 16, after: 2 },
  big: { subscriptions: 20_000, events: 200_000 },
};
