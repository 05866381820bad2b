/** The service's own idea of the time. It runs with the clock it was made from, moved as a test asks. */
export type Clock = {
  now(): Date;
  /** Moves the clock by so many milliseconds (backwards if negative). */
  advance(ms: number): void;
  /** Moves the clock to this moment; from there it runs on. */
  set(date: Date): void;
};

/**
 * Makes a settable clock.
 * @param base where the time comes from: a ticking source (`Date.now`) or a standing one (`() => 0`)
 */
export function makeClock(base: () => number | Date): Clock {
  let offset = 0;
  return {
    now: () => new Date(Number(base()) + offset),
    advance(ms) {
      offset += ms;
    },
    set(date) {
      offset = date.getTime() - Number(base());
    },
  };
}
