import type { RequestHandler } from 'express';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { RequestTaker } from '../http/receiver/take-notifications.ts';

/** A running bot. */
export type Bot = {
  /** Handles requests from the service, Slack and browsers; empty with `ROLE=worker`. */
  readonly entrance: { readonly first: RequestTaker | null; readonly routes: readonly RequestHandler[] };
  readonly isReady: () => Promise<boolean>;
  readonly metrics: Metrics;
  /** Starts what a ready bot does not need yet: the chores, and the Slack adapter, which otherwise loads with its first request. */
  readonly startRest: () => Promise<void>;
  /** Runs a chore now, by name, instead of on schedule. */
  readonly runChore: (name: string) => Promise<void>;
  /** Accepts nothing more, finishes what is in progress, and closes its own database connections. */
  readonly stop: () => Promise<void>;
};
