/** The service's own clock. It follows the clock it was created from, shifted as a test asks. */
export type Clock = {
  now(): Date;
  /** Shifts the clock by this many milliseconds (backward if negative). */
  advance(ms: number): void;
  /** Sets the clock to this moment; it continues from there. */
  set(date: Date): void;
};

/**
 * Creates a clock that can be set.
 * @param base the time source, running (`Date.now`) or fixed (`() => 0`)
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
