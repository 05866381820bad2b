import { earlier } from '../../lib/durations.ts';
import type { LinkAttempt } from '../model/link.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { hashOf, isTicket } from './secrets.ts';

/**
 * Why a ticket does not work.
 * - `unknown`: there is no such ticket, or it is older than an hour
 * - `expired`: it was not used in time
 * - `used`: it was used already, and works only once
 * - `replaced`: its owner has asked for a newer one, or has unlinked since
 */
export type TicketFault = 'unknown' | 'expired' | 'used' | 'replaced';

type TicketFound =
  | { readonly found: true; readonly attempt: LinkAttempt }
  | { readonly found: false; readonly fault: TicketFault };

export type FindTicket = (ticket: string) => Promise<TicketFound>;

/** Returns the attempt of a ticket, in any step; null if it is no ticket of the last hour. */
export async function attemptOf({ attempts, clock }: LinkingRoomDeps, ticket: string) {
  if (!isTicket(ticket)) return null;
  return attempts.byTicket(hashOf(ticket), earlier(clock.now(), linkLimits.keptAttempt));
}

/** Looks up a ticket. Changes nothing. */
export function makeFindTicket(deps: LinkingRoomDeps): FindTicket {
  return async (ticket) => {
    const attempt = await attemptOf(deps, ticket);
    if (attempt === null) return { found: false, fault: 'unknown' };
    if (attempt.used) return { found: false, fault: 'used' };
    if (attempt.expiresAt <= deps.clock.now()) return { found: false, fault: 'expired' };
    if (attempt.step !== 'offered') return { found: false, fault: 'replaced' };
    return { found: true, attempt };
  };
}
