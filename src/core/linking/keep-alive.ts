import { earlier } from '../../lib/durations.ts';
import type { AccessTokenFor } from './access-token.ts';
import { tokenLimits } from './limits.ts';
import type { LinkingRoomDeps } from './linking-deps.ts';

/** How many links were renewed, need the person to link again, or could not be renewed now. */
type KeptAlive = { readonly renewed: number; readonly relink: number; readonly failed: number };

/** Links renewed in one day's round. The rest come first in the next one, long before their refresh tokens expire. */
const mostInARound = 500;

/**
 * Renews the tokens of links that were not used for 30 days, so a person who is away does not lose their subscriptions when the refresh
 * token expires after 60 days. Runs once a day; several processes at once do no harm.
 */
export function makeKeepAlive(
  deps: LinkingRoomDeps & { readonly accessTokenFor: AccessTokenFor },
): () => Promise<KeptAlive> {
  return async () => {
    const before = earlier(deps.clock.now(), tokenLimits.keepAlive);
    const counts = { renewed: 0, relink: 0, failed: 0 };
    for (const id of await deps.links.quietSince(before, mostInARound)) {
      try {
        // Their access tokens expired long ago, so asking for one renews them.
        const { outcome } = await deps.accessTokenFor(id);
        counts[outcome === 'token' ? 'renewed' : 'relink'] += 1;
      } catch (error) {
        deps.noteFailure('renew the tokens of a link that was not used for long', error);
        counts.failed += 1;
      }
    }
    return counts;
  };
}
