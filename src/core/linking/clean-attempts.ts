import { earlier } from '../../lib/durations.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

/**
 * Removes the tokens of expired attempts, and whole attempts after an hour. Runs every minute.
 * @returns how many attempts were ended and how many removed
 */
export function makeCleanAttempts({
  attempts,
  clock,
}: LinkingRoomDeps): () => Promise<{ readonly ended: number; readonly removed: number }> {
  return () => {
    const now = clock.now();
    return attempts.clean(now, earlier(now, linkLimits.keptAttempt));
  };
}
