/** The time of the whole demo: the machine's, turned ahead by the person at the page. It never goes back. */
export type PracticeClock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns the milliseconds it is ahead of the machine's clock. */
  readonly ahead: () => number;
  /** Turns it ahead by this many milliseconds; throws `RangeError` unless the number is positive. */
  readonly advance: (ms: number) => void;
};

/**
 * Creates a clock that initially shows the machine's time.
 * @param machine epoch milliseconds: `Date.now`
 */
export function makePracticeClock(machine: () => number): PracticeClock {
  let ahead = 0;
  return {
    now: () => machine() + ahead,
    ahead: () => ahead,
    advance(ms) {
      if (!(ms > 0 && Number.isFinite(ms)))
        throw new RangeError('The practice clock can only be turned ahead.');
      ahead += ms;
    },
  };
}

/**
 * Returns how long it takes until the clock of a zone next shows this time of day.
 * @param zone IANA name
 * @param time `9:00`
 * @returns milliseconds: at least one minute, at most a day and a minute, plus an hour when daylight saving time changes
 */
export function untilTimeOfDay(now: number, { zone, time }: { zone: string; time: string }): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: 'numeric', minute: 'numeric' });
  const wanted = time.padStart(5, '0');
  const minute = 60_000;
  // Minute by minute, because a day has 23 or 25 hours when daylight saving time starts or ends.
  let at = Math.ceil((now + 1) / minute) * minute;
  while (format.format(at) !== wanted) at += minute;
  return at - now;
}
