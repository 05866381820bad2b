import { subscriptionEnded, subscriptionResumed } from '../../messages/subscribing/announcements.ts';
import type { Remote } from '../../service/shapes.ts';
import { signalLanes } from '../../store/lane-signals.ts';
import * as events from '../../store/tables/events.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { endFor, resumeFrom } from '../access/change-state.ts';
import { announce } from '../announce.ts';
import { inTransaction } from '../in-transaction.ts';
import type { Link } from '../model/link.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { waitsForOwner } from '../model/pause-reason.ts';
import { type ServiceError, type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import { subscribedOf } from '../model/subscribed-of.ts';
import { type Health, isOddStatus, oddChecksToWarn, worryingStatus } from '../model/subscription.ts';
import { resumedOneSubject } from '../model/summary-lead.ts';
import type { CallService } from './call-service.ts';
import type { PauseOwned } from './pause-owned.ts';
import type { Upstream } from './upstream.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

export type RepairSubscriptionDeps = Pick<
  UpstreamRoomDeps,
  'bot' | 'clock' | 'service' | 'publicUrl' | 'log'
> & {
  readonly callService: CallService;
  readonly upstream: Pick<Upstream, 'replace' | 'release'>;
  readonly pauseOwned: PauseOwned;
};

/**
 * The result for one subscription. `health`: null if it ended or another process is working on it. `next`: whether to check the others
 * of the link.
 */
type Repaired = {
  readonly health: Health | null;
  readonly next: 'continue' | 'away' | 'deferred' | 'link lost';
};

/** The state of a row's remote subscription. */
type FoundRemote = 'lost' | 'link lost' | { readonly remote: Remote } | { readonly failure: ServiceError };

/** Consecutive failed checks before the channel is notified that its lost subscription cannot be created again. */
const failedChecksToWarn = 2;
const linkLost: Repaired = { health: null, next: 'link lost' };
const notOurs: Repaired = { health: null, next: 'continue' };

/**
 * Syncs one subscription with the service. `listed`: the link's remote subscriptions as the service listed them, by id.
 *
 * A remote subscription is lost only if it cannot be found by its id either, because the list may cover one workspace only. If it is
 * lost, or sends to another address than the bot's, it is created again. A subscription that waits for its owner resumes once its remote
 * subscription exists.
 */
export function makeRepairSubscription(deps: RepairSubscriptionDeps) {
  return async (link: Link, row: Subscription, listed: ReadonlyMap<string, Remote>): Promise<Repaired> => {
    const { serviceSubscriptionId: id } = row;
    // It is being replaced right now.
    if (id === null && row.previousServiceSubscriptionId !== null) return notOurs;
    const known = id === null ? undefined : listed.get(id);
    const found = known ? { remote: known } : await findRemote(link, id);
    if (found === 'link lost') return linkLost;
    if (found === 'lost') return remake(link, row, true);
    if ('failure' in found) return failed(row, found.failure, false);
    if (row.callbackBase !== deps.publicUrl) return remake(link, row, false);
    await resume(row, false);
    return { health: fine(row, found.remote.status, false), next: 'continue' };
  };

  async function findRemote(link: Link, id: string | null): Promise<FoundRemote> {
    if (id === null) return 'lost';
    try {
      const called = await deps.callService(link.id, (token) => deps.service.getSubscription(token, id));
      return called === 'relink' ? 'link lost' : { remote: called };
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      switch (failure.kind) {
        case 'unauthorized':
          return 'link lost';
        // It belongs to an account that was linked before this one, so it cannot be accessed.
        case 'forbidden':
        case 'not-found':
          return 'lost';
        default:
          return { failure };
      }
    }
  }

  async function remake(link: Link, row: Subscription, wasLost: boolean): Promise<Repaired> {
    const { target, comprehensive } = row;
    const wanted = { linkId: link.id, target, comprehensive, keepsPause: true };
    try {
      const replaced = await deps.upstream.replace(row, wanted);
      if (replaced === 'relink') return linkLost;
      if (replaced !== 'active') return notOurs;
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      return refused(link, row, { failure, wasLost });
    }
    await resume(row, wasLost);
    return { health: fine(row, null, wasLost), next: 'continue' };
  }

  async function refused(
    link: Link,
    row: Subscription,
    { failure, wasLost }: { readonly failure: ServiceError; readonly wasLost: boolean },
  ): Promise<Repaired> {
    if (failure.kind === 'unauthorized') return linkLost;
    if (failure.kind === 'not-found') {
      await end(row);
      return notOurs;
    }
    const result = failed(row, failure, wasLost);
    if (failure.kind === 'forbidden') await deps.pauseOwned(link, [row], 'no access');
    else if (wasLost && result.health.failedChecks >= failedChecksToWarn) {
      await deps.pauseOwned(link, [row], 'not sent any more');
    }
    return result;
  }

  async function end(row: Subscription): Promise<void> {
    const subscribed = subscribedOf(row);
    const [ended] = await inTransaction(deps.bot, async (bot) => {
      const rows = await endFor(bot, [row.id], 'not found');
      if (rows.length > 0) await announce(bot, row, subscriptionEnded(subscribed, 'not found'));
      return rows;
    });
    if (ended) await deps.upstream.release(ended);
  }

  /**
   * Resumes a subscription that waited for its owner, and releases its held events. An active one may still have held events if the
   * process that resumed it stopped halfway.
   */
  async function resume(row: Subscription, wasLost: boolean): Promise<void> {
    if (row.state === 'active') {
      const { db } = deps.bot;
      if ((await events.releaseHeld(db, row, 'paused', [row.id])) > 0) await signalLanes(db, [row]);
      return;
    }
    if (!waitsForOwner(row)) return;
    const { reason } = row;
    const subscribed = subscribedOf(row);
    await inTransaction(deps.bot, async (bot) => {
      const resumed = await resumeFrom(bot, [row.id], reason ?? '');
      if (resumed.length === 0) return;
      const waited = await events.releaseHeld(bot.db, row, 'paused', [row.id]);
      const missed = wasLost ? null : waited;
      await announce(bot, row, subscriptionResumed(subscribed, missed), resumedOneSubject(row.id));
    });
  }

  function fine(row: Subscription, status: string | null, wasLost: boolean): Health {
    const oddChecks = isOddStatus(status) ? (row.health?.oddChecks ?? 0) + 1 : 0;
    const checkedAt = deps.clock.now().toISOString();
    const lostInPause = isLostInPause(row, wasLost);
    const health = { checkedAt, status, oddChecks, failedChecks: 0, lostInPause };
    if (oddChecks === oddChecksToWarn) {
      deps.log.warn(
        { ...subscriptionFields(row), state: worryingStatus(health) },
        'a subscription is not active',
      );
    }
    return health;
  }

  function failed(row: Subscription, failure: ServiceError, wasLost: boolean) {
    const { kind, forLog } = failure;
    deps.log.warn(
      { ...subscriptionFields(row), failure: forLog, wasLost },
      'could not repair a subscription',
    );
    const health: Health = {
      checkedAt: deps.clock.now().toISOString(),
      status: row.health?.status ?? null,
      oddChecks: row.health?.oddChecks ?? 0,
      failedChecks: (row.health?.failedChecks ?? 0) + 1,
      lostInPause: isLostInPause(row, wasLost),
    };
    return { health, next: afterFailure(kind) };
  }
}

/** One that waits for its owner resumes right after it was created again, and says so then. */
function isLostInPause(row: Subscription, wasLost: boolean): boolean {
  return row.state === 'paused' && !waitsForOwner(row) && (wasLost || row.health?.lostInPause === true);
}

function afterFailure(kind: ServiceErrorKind): Repaired['next'] {
  switch (kind) {
    case 'unavailable':
      return 'away';
    case 'rate-limited':
      return 'deferred';
    default:
      return 'continue';
  }
}
