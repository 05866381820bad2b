import { forEachRow } from './for-each-row.ts';
import type { Log } from './log.ts';

/** The steps of a longer job, by the names they have in the log. */
type Steps = Readonly<Record<string, () => Promise<unknown>>>;

type EachStepDeps = {
  readonly log: Pick<Log, 'error'>;
};

/** Runs the steps one after another. Logs a failed step and continues with the next. */
export function eachStep(steps: Steps, { log }: EachStepDeps): Promise<void> {
  return forEachRow(
    Object.entries(steps),
    ([, run]) => run(),
    (error, [name]) => log.error({ err: error, chore: name }, 'a step of a chore failed'),
  );
}
