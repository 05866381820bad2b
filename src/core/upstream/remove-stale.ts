import { shuffled } from '../../lib/shuffled.ts';
import type { Remote } from '../../service/shapes.ts';
import type { FoundByToken, Subscription } from '../../store/tables/subscription-row.ts';
import type { Link } from '../model/link.ts';
import { personFields, subscriptionFields } from '../model/log-fields.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import type { CallService } from './call-service.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

export type RemoveStaleDeps = Pick<
  UpstreamRoomDeps,
  'clock' | 'subscriptions' | 'service' | 'tokens' | 'log'
> & {
  readonly callService: CallService;
};

/** Failures that the next call with this link would run into as well. */
const endsCheck: ReadonlySet<ServiceErrorKind> = new Set(['unauthorized', 'rate-limited']);
/** After this many removals without a usable answer, the service may be unavailable, and the rest waits for the next check. */
const mostUnanswered = 3;

/** `incomplete`: the service did not answer some removals. `link lost`: it no longer accepts the link's tokens. */
type StaleRemoved = 'complete' | 'incomplete' | 'link lost';

/**
 * Removes remote subscriptions with one of our callback URLs that no row uses. The rows are read after the list, since a row is always
 * stored before its remote subscription is created.
 */
export function makeRemoveStale(deps: RemoveStaleDeps) {
  const { clock, subscriptions, service, callService, log } = deps;

  return async (link: Link, remotes: readonly Remote[]): Promise<StaleRemoved> => {
    const ours = remotes.flatMap((remote) => {
      const token = tokenIn(remote);
      return token !== null && deps.tokens.isOurs(token) ? [{ remote, hash: deps.tokens.hash(token) }] : [];
    });
    const rows = await subscriptions.byTokenHashes(
      ours.map(({ hash }) => hash),
      clock.now(),
    );
    const stale = ours
      .map(({ remote, hash }) => ({ remote, row: rows.get(hash.toString('hex')) }))
      .filter(({ remote, row }) => !isWaitedFor(remote, row));
    let unanswered = 0;
    // One that the service never removes must not keep the others waiting.
    for (const { remote, row } of shuffled(stale)) {
      const removed = await remove(link, remote, row);
      if (removed === 'link lost') return removed;
      if (removed === 'unanswered') unanswered += 1;
      if (unanswered === mostUnanswered) break;
    }
    return unanswered === 0 ? 'complete' : 'incomplete';
  };

  /** During a replacement, the previous remote subscription is the one that exists. */
  async function noteRemoved(row: FoundByToken, remoteId: string): Promise<void> {
    if (row.replaced && row.serviceSubscriptionId !== null) {
      await subscriptions.previousRemoved(row.id, remoteId, clock.now());
    } else await subscriptions.released(row.id, clock.now());
  }

  async function remove(
    link: Link,
    { id }: Remote,
    row: FoundByToken | undefined,
  ): Promise<'removed' | 'refused' | 'unanswered' | 'link lost'> {
    try {
      const called = await callService(link.id, (token) => service.deleteSubscription(token, id));
      if (called === 'relink') return 'link lost';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure || endsCheck.has(failure.kind)) throw error;
      log.warn(
        { ...personFields(link), link: link.id, failure: failure.forLog },
        'could not remove a stale remote subscription',
      );
      return failure.kind === 'unavailable' ? 'unanswered' : 'refused';
    }
    log.warn(
      { ...(row ? subscriptionFields(row) : personFields(link)), link: link.id, record: id },
      'removed a stale remote subscription',
    );
    if (row) await noteRemoved(row, id);
    return 'removed';
  }
}

/** Returns the last part of a callback URL; null if it cannot be one of ours. */
function tokenIn({ callbackUrl }: Remote): string | null {
  const path = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.pathname;
  return /\/notifications\/([^/]+)$/.exec(path ?? '')?.[1] ?? null;
}

/**
 * Returns whether a row uses a remote subscription. While the row has no known id, its remote subscription is being created, and this
 * may be it. Without a row, or if the row has another id, it is unused.
 */
function isWaitedFor({ id }: Remote, row: Subscription | undefined): boolean {
  if (row === undefined || row.state === 'ended') return false;
  return row.serviceSubscriptionId === null || row.serviceSubscriptionId === id;
}
