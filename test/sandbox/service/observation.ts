import type { PracticeService } from '../../../sandbox/service/practice-service.ts';
import type { startReceiver } from './support.ts';

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** How to see from outside which side a switch is on, and what is seen on each (by the side's text). */
export type Observation = {
  observe: (service: PracticeService, receiver: Receiver) => Promise<unknown>;
  expected: Readonly<Record<string, unknown>>;
};
