import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';

const second = 1_000;

/** How long the steps of linking last, in milliseconds, and how often they may be tried. */
export const linkLimits = {
  /** From the button in Slack to the page's Continue. */
  ticket: 10 * minuteMs,
  /** From Continue to the service's redirect back; the browser's cookie lives as long. */
  answer: 10 * minuteMs,
  /** To type the code in Slack. */
  code: 5 * minuteMs,
  codeTries: 5,
  /** To answer whether one account is to take the place of another. */
  question: 10 * minuteMs,
  /** Nothing of an attempt is kept longer than this. */
  keptAttempt: hourMs,
  /** How many attempts a person may start in how long. */
  starts: { most: 5, within: 10 * minuteMs },
} as const;

/** When tokens are renewed, in milliseconds. */
export const tokenLimits = {
  /** Before an access token ends; what was asked for with it must arrive while it still holds. */
  margin: 5 * minuteMs,
  /** Links are spread by up to this much to either side, so that those made together do not stay together. */
  jitter: 30 * second,
  /** Service interface: access tokens live for 60 minutes. Used where an answer did not say. */
  accessLife: hourMs,
  /** Service interface: refresh tokens live for 60 days. Half of that leaves a month of retries. */
  keepAlive: 30 * dayMs,
  /** Refreshes under way at once in a process: each holds one of the pool's connections. */
  refreshesAtOnce: 2,
} as const;
