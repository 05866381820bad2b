import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { startReceiver } from './support.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** How to observe a switch from outside, and what is observed on each side (by the side's text). */
export type Observation = {
  observe: (service: PracticeService, receiver: Receiver) => Promise<unknown>;
  expected: Readonly<Record<string, unknown>>;
};
