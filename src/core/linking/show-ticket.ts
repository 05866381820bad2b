import { type Asker, askerOf } from './asker.ts';
import type { FindTicket, TicketFault } from './find-ticket.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

type TicketShown =
  | { readonly outcome: 'ready'; readonly asker: Asker }
  | { readonly outcome: 'refused'; readonly fault: TicketFault | 'not-a-member' };

export type ShowTicket = (ticket: string) => Promise<TicketShown>;

/**
 * Returns what the page of a link shows. Changes nothing, so link scanners and previews cannot use up the ticket. Throws if Slack cannot
 * be asked who wants the link, since nobody should agree without knowing that.
 */
export function makeShowTicket(deps: LinkingRoomDeps & { readonly findTicket: FindTicket }): ShowTicket {
  return async (ticket) => {
    const found = await deps.findTicket(ticket);
    if (!found.found) return { outcome: 'refused', fault: found.fault };
    const { asker, profile } = await askerOf(deps, found.attempt);
    return profile.standing === 'member'
      ? { outcome: 'ready', asker }
      : { outcome: 'refused', fault: 'not-a-member' };
  };
}
