import type { HeldClaims } from '../core/model/held-claims.ts';
import { later } from '../lib/durations.ts';

/**
 * Which claims hold longer than they say. After the database was away, a process whose claim ran out meanwhile may have posted, and is
 * about to mark that: taken over at once, what was posted would be posted again. A claim that had run out before is nobody's any more.
 * @param deps `forMs`: how long they hold once the database is back, in milliseconds
 */
export function makeHeldClaims({ forMs, now }: { readonly forMs: number; readonly now: () => Date }) {
  let answeredAt: Date | null = null;
  let awaySince: Date | null = null;
  let held: HeldClaims | null = null;
  return {
    /** A statement that was sent at `sentAt` found the database away. */
    failed(sentAt: Date): void {
      // It may have gone away right after its last answer, which an idle process has had seconds ago.
      awaySince ??= answeredAt ?? sentAt;
    },
    /** The database has answered. */
    answered(): void {
      answeredAt = now();
      if (awaySince === null) return;
      held = { since: awaySince, until: later(now(), forMs) };
      awaySince = null;
    },
    /** Null where claims hold as long as they say. */
    current(): HeldClaims | null {
      if (awaySince !== null) return { since: awaySince, until: later(now(), forMs) };
      if (held !== null && held.until <= now()) held = null;
      return held;
    },
  };
}
