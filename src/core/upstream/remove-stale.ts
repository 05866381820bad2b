import type { SubscriptionRecord } from '../../service/shapes.ts';
import type { FoundByToken, Subscription } from '../../store/tables/subscription-row.ts';
import type { Link } from '../model/link.ts';
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
const endsCheck: ReadonlySet<ServiceErrorKind> = new Set(['unauthorized', 'unavailable', 'rate-limited']);

/**
 * Removes remote subscriptions with one of our callback URLs that no row uses. The rows are read after the list, since a row is always
 * stored before its remote subscription is created. Returns false if the service no longer accepts the link's tokens.
 */
export function makeRemoveStale(deps: RemoveStaleDeps) {
  const { clock, subscriptions, service, callService, log } = deps;

  return async (link: Link, records: readonly SubscriptionRecord[]): Promise<boolean> => {
    const ours = records.flatMap((record) => {
      const token = tokenIn(record);
      return token !== null && deps.tokens.isOurs(token) ? [{ record, hash: deps.tokens.hash(token) }] : [];
    });
    const rows = await subscriptions.byTokenHashes(
      ours.map(({ hash }) => hash),
      clock.now(),
    );
    for (const { record, hash } of ours) {
      const row = rows.get(hash.toString('hex'));
      if (isWaitedFor(record, row)) continue;
      const removed = await remove(link, record.id);
      if (removed === 'link lost') return false;
      if (removed === 'refused') continue;
      log.warn(
        { link: link.id, record: record.id, subscription: row?.id },
        'removed a stale remote subscription',
      );
      if (row) await noteRemoved(row, record);
    }
    return true;
  };

  /** During a replacement, the previous remote subscription is the one that exists. */
  async function noteRemoved(row: FoundByToken, { id }: SubscriptionRecord): Promise<void> {
    if (row.replaced && row.serviceSubscriptionId !== null) {
      await subscriptions.previousRemoved(row.id, id, clock.now());
    } else await subscriptions.released(row.id, clock.now());
  }

  async function remove(link: Link, recordId: string): Promise<'removed' | 'refused' | 'link lost'> {
    try {
      const called = await callService(link.id, (token) => service.deleteSubscription(token, recordId));
      return called.outcome === 'relink' ? 'link lost' : 'removed';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure || endsCheck.has(failure.kind)) throw error;
      log.warn({ link: link.id, failure: failure.forLog }, 'could not remove a stale remote subscription');
      return 'refused';
    }
  }
}

/** Returns the last part of a callback URL; null if it cannot be one of ours. */
function tokenIn({ callbackUrl }: SubscriptionRecord): string | null {
  const path = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.pathname;
  return /\/notifications\/([^/]+)$/.exec(path ?? '')?.[1] ?? null;
}

/**
 * Returns whether a row uses a remote subscription. While the row has no known id, its remote subscription is being created, and this
 * may be it. Without a row, or if the row has another id, it is unused.
 */
function isWaitedFor({ id }: SubscriptionRecord, row: Subscription | undefined): boolean {
  if (row === undefined || row.state === 'ended') return false;
  return row.serviceSubscriptionId === null || row.serviceSubscriptionId === id;
}
