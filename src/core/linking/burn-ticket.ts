import { later } from '../../lib/durations.ts';
import type { FindTicket, TicketFault } from './find-ticket.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { hashOf, newCookie } from './secrets.ts';

type TicketBurnt =
  | {
      readonly outcome: 'sent';
      /** The service's page that asks for consent. */
      readonly authorizationUrl: URL;
      /** Must be given to this browser only, for `cookieSeconds`: the service's callback counts only together with it. */
      readonly cookie: string;
      readonly cookieSeconds: number;
    }
  | { readonly outcome: 'refused'; readonly fault: TicketFault };

export type BurnTicket = (ticket: string) => Promise<TicketBurnt>;

/** Uses up a ticket and sends its browser to the service. Of several concurrent requests, only one is sent. */
export function makeBurnTicket(deps: LinkingRoomDeps & { readonly findTicket: FindTicket }): BurnTicket {
  return async (ticket) => {
    const found = await deps.findTicket(ticket);
    if (!found.found) return { outcome: 'refused', fault: found.fault };

    const { state, codeVerifier } = deps.oauth.newAttempt();
    const authorizationUrl = await deps.oauth.authorizationUrl({ state, codeVerifier });
    const cookie = newCookie(deps.randomBytes);
    const now = deps.clock.now();
    const isOurs = await deps.attempts.takeTicket({
      id: found.attempt.id,
      stateHash: hashOf(state),
      cookieHash: hashOf(cookie),
      codeVerifier,
      now,
      expiresAt: later(now, linkLimits.answer),
    });
    if (!isOurs) return { outcome: 'refused', fault: 'used' };
    return { outcome: 'sent', authorizationUrl, cookie, cookieSeconds: linkLimits.answer / 1_000 };
  };
}
