import type { Log } from './log.ts';

/** Calls `act` for each row, in order. Passes an error to `failed` and continues with the next row. */
export async function forEachRow<Row>(
  rows: Iterable<Row>,
  act: (row: Row) => Promise<unknown>,
  failed: (error: unknown, row: Row) => void,
): Promise<void> {
  for (const row of rows) {
    try {
      await act(row);
    } catch (error) {
      failed(error, row);
    }
  }
}

/** The steps of a longer job, by the names they have in the log. */
type Steps = Readonly<Record<string, () => Promise<unknown>>>;

/** Runs the steps one after another. Logs a failed step and continues with the next. */
export function eachStep(log: Pick<Log, 'error'>, steps: Steps): Promise<void> {
  return forEachRow(
    Object.entries(steps),
    ([, run]) => run(),
    (error, [name]) => log.error({ err: error, chore: name }, 'a step of a chore failed'),
  );
}
