import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts';

const second = 1_000;

/** How long the steps of linking last, in milliseconds, and how often they can be tried. */
export const linkLimits = {
  /** From the button in Slack to the page's Continue. */
  ticket: 10 * minuteMs,
  /** From Continue to the service's redirect back; the browser's cookie lives as long. */
  answer: 10 * minuteMs,
  /** To type the code in Slack. */
  code: 5 * minuteMs,
  codeTries: 5,
  /** How long the browser is shown how its attempt went. */
  page: 10 * minuteMs,
  /** To answer whether one account should replace another. */
  question: 10 * minuteMs,
  /** A command that waits longer than this for a link is not carried out anymore. Slack accepts replies to it for as long. */
  waitingRequest: 30 * minuteMs,
  /** Attempts older than this are deleted by the next cleanup. */
  keptAttempt: hourMs,
  /** How many attempts a person can start in what time. */
  starts: { most: 5, within: 10 * minuteMs },
} as const;

/** When tokens are renewed, in milliseconds. */
export const tokenLimits = {
  /** Time before an access token expires; calls made with it must arrive while it is still valid. */
  margin: 5 * minuteMs,
  /** Renewals are spread by up to this much either way, so links made together are not renewed together. */
  jitter: 30 * second,
  /** Service interface: access tokens live for 60 minutes. Used if a response does not say. */
  accessLife: hourMs,
  /** Service interface: refresh tokens live for 60 days. Half of that leaves a month of retries. */
  keepAlive: 30 * dayMs,
  /** Concurrent refreshes in a process: each holds one of the pool's connections. */
  refreshesAtOnce: 2,
} as const;
