/**
 * Makes ids that look like Slack's. Ids of what lasts (workspaces, people, channels) come out the same at every
 * start, so that a database which outlives the practice Slack still fits. Ids of what happens (events, triggers,
 * response URLs, views) carry `salt`, which must differ at every start: bots drop what they have seen before.
 * @param now milliseconds since the epoch
 */
export function makeIds({ now, salt }: { now: () => number; salt: string }) {
  const counters = new Map<string, number>();
  let lastMicros = 0;

  function count(kind: string): number {
    const next = (counters.get(kind) ?? 0) + 1;
    counters.set(kind, next);
    return next;
  }

  return {
    /** A lasting id: one capital letter and nine characters, `C000000001`. */
    lasting(letter: string): string {
      return `${letter}${String(count(letter)).padStart(9, '0')}`;
    },
    /** An id of something that happens once, `Ev5f0c2a9d001`. */
    passing(prefix: string): string {
      return `${prefix}${salt}${String(count(prefix)).padStart(3, '0')}`.toUpperCase().replace(/^EV/, 'Ev');
    },
    trigger(): string {
      return `${Math.floor(now() / 1000)}.${count('trigger')}.${salt}`;
    },
    /** A secret path segment. */
    secret(): string {
      return `${salt}${count('secret').toString(36)}`;
    },
    /** A message timestamp: seconds and six digits, as a string, never the same twice and never going back. */
    ts(): string {
      lastMicros = Math.max(now() * 1000, lastMicros + 1);
      return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
    },
  };
}

export type Ids = ReturnType<typeof makeIds>;
