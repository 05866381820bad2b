import type { Log } from '../../lib/log.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { SubscriptionRecord } from '../../service/shapes.ts';
import type { FoundByToken, Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import type { Link } from '../model/link.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import type { CallbackTokens } from '../receiving/callback-token.ts';
import type { CallService } from './call-service.ts';

export type RemoveStaleDeps = {
  readonly clock: Clock;
  readonly subscriptions: Pick<Subscriptions, 'byTokenHashes' | 'released' | 'previousRemoved'>;
  readonly service: Pick<ServiceClient, 'deleteSubscription'>;
  readonly callService: CallService;
  readonly tokens: Pick<CallbackTokens, 'isOurs' | 'hash'>;
  readonly log: Pick<Log, 'warn'>;
};

/** Failures that the next call for this link would meet too. */
const endsCheck: ReadonlySet<ServiceErrorKind> = new Set(['unauthorized', 'unavailable', 'rate-limited']);

/**
 * Removes remote subscriptions that send to us and that no row waits for. The rows are read after the list: a row is always there before
 * its remote subscription is made. False where the service takes the link's tokens no more.
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
      log.warn({ link: link.id, record: record.id, subscription: row?.id }, 'a stale record was removed');
      if (row) await noteRemoved(row, record);
    }
    return true;
  };

  /** In the middle of a replacement it is the one that is being replaced that stands. */
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
      log.warn({ link: link.id, failure: failure.forLog }, 'a stale record was not removed');
      return 'refused';
    }
  }
}

/** The last part of a callback address; null where it cannot be one of ours. */
function tokenIn({ callbackUrl }: SubscriptionRecord): string | null {
  const path = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.pathname;
  return /\/notifications\/([^/]+)$/.exec(path ?? '')?.[1] ?? null;
}

/**
 * Whether a remote subscription is the one that its row waits for. While a row has none that is known, one is being made, and any may be
 * it. Without a row, or with one that has another by now, it is nobody's.
 */
function isWaitedFor({ id }: SubscriptionRecord, row: Subscription | undefined): boolean {
  if (row === undefined || row.state === 'ended') return false;
  return row.serviceSubscriptionId === null || row.serviceSubscriptionId === id;
}
