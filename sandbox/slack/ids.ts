/**
 * Generates ids that look like Slack's. Ids of durable objects (workspaces, people, channels) are the same on every start, so a database
 * that outlives the practice Slack still matches. Ids of one-time objects (events, triggers, response URLs, views) contain `salt`, which
 * must differ on every start because bots drop ids they have seen.
 * @param now epoch milliseconds
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
    /** A durable id: one capital letter and nine characters, `C000000001`. */
    lasting(letter: string): string {
      return `${letter}${String(count(letter)).padStart(9, '0')}`;
    },
    /** The id of a one-time object, `Ev5f0c2a9d001`. */
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
    /** A message timestamp: seconds and six digits, as a string; unique and increasing. */
    ts(): string {
      lastMicros = Math.max(now() * 1000, lastMicros + 1);
      return `${Math.floor(lastMicros / 1_000_000)}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
    },
  };
}

export type Ids = ReturnType<typeof makeIds>;
