/** The time of the whole demo: the machine's, turned ahead by the person at the page. It never goes back. */
export type PracticeClock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** By how many milliseconds it is ahead of the machine's clock. */
  readonly ahead: () => number;
  /** Turns it ahead by this many milliseconds; throws `RangeError` for anything but a positive number. */
  readonly advance: (ms: number) => void;
};

/**
 * Makes a clock that shows the machine's time at first.
 * @param machine milliseconds since the epoch: `Date.now`
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
 * How long it is until the clock in a zone next shows this time of day.
 * @param zone IANA name
 * @param time `9:00`
 * @returns milliseconds, at least one minute and at most a day and a minute or an hour of summer time more
 */
export function untilTimeOfDay(now: number, { zone, time }: { zone: string; time: string }): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: 'numeric', minute: 'numeric' });
  const wanted = time.padStart(5, '0');
  const minute = 60_000;
  // Minute by minute, since a day has 23 or 25 hours where summer time begins or ends.
  let at = Math.ceil((now + 1) / minute) * minute;
  while (format.format(at) !== wanted) at += minute;
  return at - now;
}
