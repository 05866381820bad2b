import type { Channel } from '../model/people.ts';

type PassOnDeps = {
  /** Passes on a few waiting events. */
  readonly passOn: () => Promise<{ readonly lanes: readonly Channel[]; readonly more: boolean }>;
  /** Called with direct messages in which new events are pending. */
  readonly wake: (lanes: readonly Channel[]) => void;
};

/**
 * Makes the function that passes all waiting events on to people who follow single items. One run at a time: calls during a run extend it,
 * since their events may have been stored after its last look.
 */
export function makePassOn({ passOn, wake }: PassOnDeps): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;

  async function run(): Promise<void> {
    do {
      again = false;
      const { lanes, more } = await passOn();
      wake(lanes);
      again ||= more;
    } while (again);
  }

  return () => {
    again = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
}
