import type { Queue } from '../core/bot.ts';
import type { Env } from '../env.ts';
import type { Metrics } from '../http/metrics/metrics.ts';
import type { Clock } from '../lib/durations.ts';
import type { Logger } from '../lib/log.ts';
import type { Copy } from '../messages/text/copy.ts';
import type { Sealing } from '../store/sealing/sealing.ts';
import type { ServiceRoom } from './service.ts';
import type { SlackRoom } from './slack.ts';
import type { StoreRoom } from './store.ts';

/** What every room is composed of, besides the rooms that it uses. */
export type Base = {
  readonly env: Env;
  readonly store: StoreRoom;
  readonly slack: SlackRoom;
  readonly service: ServiceRoom;
  readonly metrics: Metrics;
  readonly sealing: Sealing;
  readonly copy: Copy;
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly log: Logger;
  readonly queue: Queue;
};
