import { earlier, later } from '../../lib/durations.ts';
import type { SlackPerson } from '../model/people.ts';
import type { Request } from '../model/request.ts';
import { linkLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';
import { hashOf, newTicket } from './secrets.ts';

/** The person has started too often; `retryInSeconds` is at least 1. */
type TooManyTries = { readonly outcome: 'too-many-tries'; readonly retryInSeconds: number };

/** A link was offered. The page at `url` asks before anything happens; only the asking person sees it. */
type LinkStarted = { readonly outcome: 'started'; readonly url: string; readonly expiresAt: Date };

export type StartLink = (input: {
  readonly person: SlackPerson;
  readonly channelId: string | null;
  /** Where Slack accepts the reply to what was typed. */
  readonly responseUrl: string | null;
  /** What to run once the link is made; null if nothing. */
  readonly request: Request | null;
}) => Promise<LinkStarted | TooManyTries>;

/** Offers a person a link; the one they were offered before stops working. */
export function makeStartLink(deps: LinkingRoomDeps): StartLink {
  return async (input) => {
    const now = deps.clock.now();
    const ticket = newTicket(deps.randomBytes);
    const expiresAt = later(now, linkLimits.ticket);
    const refusal = await deps.attempts.add({
      ...input,
      // A `link` request leaves nothing to run, and it can contain a code.
      request: input.request?.act === 'link' ? null : input.request,
      ticketHash: hashOf(ticket),
      now,
      expiresAt,
      limit: {
        since: earlier(now, linkLimits.starts.within),
        most: linkLimits.starts.most,
      },
    });
    if (refusal !== null) {
      const seconds = Math.ceil((refusal.againAt.getTime() - now.getTime()) / 1_000);
      return { outcome: 'too-many-tries', retryInSeconds: Math.max(seconds, 1) };
    }
    return { outcome: 'started', url: `${deps.publicUrl}/link/${ticket}`, expiresAt };
  };
}
