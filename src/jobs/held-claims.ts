import type { HeldClaims } from '../core/model/lane-card.ts';
import { later } from '../lib/durations.ts';

/**
 * Tracks which claims stay valid past their expiry. A process whose claim expired while the database was unavailable may have posted and
 * not yet marked its turn. If another process took over at once, it would post the same events again. A claim that had expired before the
 * outage is free.
 * @param deps `forMs`: how long these claims stay valid once the database is back, in milliseconds
 */
export function makeHeldClaims({ forMs, now }: { readonly forMs: number; readonly now: () => Date }) {
  let answeredAt: Date | null = null;
  let awaySince: Date | null = null;
  let held: HeldClaims | null = null;
  return {
    /** Notes that a statement sent at `sentAt` found the database unavailable. */
    failed(sentAt: Date): void {
      // The outage may have begun right after the last answer, which an idle process got seconds ago. An answer in its middle does not end it:
      // claims from before are still held.
      const before = held !== null && held.until > now() ? held.since : null;
      awaySince ??= before ?? answeredAt ?? sentAt;
    },
    /** Notes that the database answered. */
    answered(): void {
      answeredAt = now();
      if (awaySince === null) return;
      held = { since: awaySince, until: later(now(), forMs) };
      awaySince = null;
    },
    /** Returns which claims are extended; null if all expire as stated. */
    current(): HeldClaims | null {
      if (awaySince !== null) return { since: awaySince, until: later(now(), forMs) };
      if (held !== null && held.until <= now()) held = null;
      return held;
    },
  };
}
