import { earlier } from '../../lib/durations.ts';
import type { LinkAttempts } from '../../store/tables/link-attempts.ts';
import type { Clock } from '../model/clock.ts';
import { linkLimits } from './limits.ts';

/**
 * Takes tokens away from attempts whose time is up, and forgets attempts after an hour. To be called every minute.
 * @returns how many were ended and how many removed.
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
