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

/** Rejects if a promise does not settle in time. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), milliseconds);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * Returns a function that says whether there is time left. A chore that runs every minute stops when its share is used up: a service that
 * does not answer costs ten seconds per call, while other chores wait for their turn.
 */
export function timeLeft(clock: Clock, milliseconds: number): () => boolean {
  const end = clock.now().getTime() + milliseconds;
  return () => clock.now().getTime() < end;
}
