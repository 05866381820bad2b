import { earlier } from '../../lib/durations.ts';
import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Clock } from '../model/clock.ts';
import { linkLimits } from './limits.ts';

/**
 * Removes the tokens of expired attempts, and whole attempts after an hour. Runs every minute.
 * @returns how many attempts were ended and how many removed
 */
export function makeCleanAttempts(deps: {
  readonly attempts: Pick<LinkAttempts, 'clean'>;
  readonly clock: Clock;
}): () => Promise<{ readonly ended: number; readonly removed: number }> {
  return () => {
    const now = deps.clock.now();
    return deps.attempts.clean(now, earlier(now, linkLimits.keptAttempt));
  };
}
