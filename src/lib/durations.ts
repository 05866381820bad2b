/** Durations in milliseconds. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The moment `milliseconds` before `time`. */
export function earlier(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() - milliseconds);
}

/** The moment `milliseconds` after `time`. */
export function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds);
}

/** The source of the current time: the database's clock in production, a settable one in tests. */
export type Clock = { readonly now: () => Date };
