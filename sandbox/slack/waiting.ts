import type { Changes } from './changes.ts';

const DEFAULT_DEADLINE_MS = 5000;

export interface Wish<T> {
  /** Looks once; undefined means "not yet". */
  find: () => T | undefined;
  /** What was hoped for and what is there instead: the message of the error when the deadline passes. */
  complain: () => string;
  /** Real milliseconds, whatever the practice Slack's clock says: the bot works in real time. */
  deadlineMs?: number | undefined;
}

/**
 * Waits until `find` finds something, looking at every change.
 * @throws Error with `complain()` when the deadline (default 5 s) passes first
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
