import type { RequestHandler } from 'express';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { RequestTaker } from '../http/receiver/take-notifications.ts';

/** A bot that runs. */
export type Bot = {
  /** What answers to the service, and to Slack and browsers; none of it with `ROLE=worker`. */
  readonly entrance: { readonly first: RequestTaker | null; readonly routes: readonly RequestHandler[] };
  readonly isReady: () => Promise<boolean>;
  readonly metrics: Metrics;
  /** Starts what a bot is ready without: the chores, and loading what answers to people in Slack, who are answered meanwhile, too. */
  readonly startRest: () => Promise<void>;
  /** Does a chore now, by its name, instead of when its hour comes. */
  readonly runChore: (name: string) => Promise<void>;
  /** Accepts nothing more, finishes what is under way, and closes its connections to the database. */
  readonly stop: () => Promise<void>;
};
