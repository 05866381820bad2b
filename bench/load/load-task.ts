import type { Answers } from './closed-loop.ts';
import type { Target } from './notification.ts';
import type { Paced } from './open-loop.ts';

/** A task for the load generator. `series` marks the notifications; `from` is the number of the first. */
export type LoadTask =
  | {
      readonly kind: 'closed';
      readonly port: number;
      readonly connections: number;
      readonly warmSeconds: number;
      readonly seconds?: number | undefined;
      readonly most?: number | undefined;
      readonly targets: readonly Target[];
      readonly mark: string;
    }
  | {
      readonly kind: 'open';
      readonly port: number;
      readonly rate: number;
      readonly seconds: number;
      readonly targets: readonly Target[];
      readonly mark: string;
    }
  | {
      readonly kind: 'malformed';
      readonly port: number;
      readonly connections: number;
      readonly most: number;
      readonly target: Target;
    };

/** The result of a task. */
export type LoadResult<Task extends LoadTask> = Task extends { kind: 'open' } ? Paced : Answers;
