import type { Changes } from './changes.ts';

const DEFAULT_DEADLINE_MS = 10_000;

export interface Wish<T> {
  /** Called on every change; undefined means "not yet". */
  find: () => T | undefined;
  /** Returns the message of the error when the deadline passes: what was expected and what is there. */
  complain: () => string;
  /** Real milliseconds, whatever the practice Slack's clock says: the bot runs in real time. */
  deadlineMs?: number | undefined;
}

/**
 * Waits until `find` returns something, calling it on every change.
 * @throws Error with `complain()` when the deadline passes first (default 10 s)
 */
export async function waitFor<T>(changes: Changes, { find, complain, deadlineMs }: Wish<T>): Promise<T> {
  const already = find();
  if (already !== undefined) return already;
  const allowed = deadlineMs ?? DEFAULT_DEADLINE_MS;
  return await new Promise<T>((resolve, reject) => {
    const stop = changes.listen(() => {
      const found = find();
      if (found === undefined) return;
      stop();
      clearTimeout(timer);
      resolve(found);
    });
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`${complain()} (waited ${allowed} ms)`));
    }, allowed);
  });
}
