import { makeOneAtATime } from '../../lib/one-at-a-time.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as rows from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { inTransaction } from '../in-transaction.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { ownerOf } from '../model/people.ts';
import { remoteScope } from '../model/remote-scope.ts';
import { isRefusal, serviceFailure } from '../model/service-error.ts';
import type { Scope } from '../model/subscription.ts';
import type { CallService, IsResting } from './call-service.ts';
import type { UpstreamRoomDeps } from './upstream-deps.ts';

type UpstreamDeps = UpstreamRoomDeps & { readonly callService: CallService; readonly isResting: IsResting };

/** The service's side of subscriptions: creating, replacing and removing remote subscriptions. */
export type Upstream = ReturnType<typeof makeUpstream>;

/** What to request from the service, and with which link. */
export type WantedRemote = Scope & {
  readonly linkId: string;
  /** Fails if the service refuses this scope, even if the row can have a narrower one. */
  readonly exactly?: boolean | undefined;
  /** Leaves a paused row paused: it is resumed separately. */
  readonly keepsPause?: boolean | undefined;
  /** What else is stored in the same transaction, such as the announcement: the process may die right after it. */
  readonly store?: ((bot: Bot) => Promise<void>) | undefined;
};

/**
 * The state of the row after a remote subscription was created for it. `ended`: the row was removed meanwhile. `overtaken`: another
 * process is creating its remote subscription, or has changed it. In both cases the new one has been removed again. `relink`: none was
 * created, because the service no longer accepts the person's tokens.
 */
type Placed = 'active' | 'ended' | 'overtaken' | 'relink';

type ReleaseOptions = { readonly unlessResting?: boolean };

/** A callback URL, and the hash that is stored for it. */
type Callback = { readonly url: string; readonly hash: Buffer };

/** Calls the service with a person's link, and stores the results. All functions throw the service's error. */
export function makeUpstream(deps: UpstreamDeps) {
  const { service, callService, subscriptions, sealing, tokens, clock, publicUrl } = deps;
  // The service's limits are not documented, so each link creates one at a time.
  const oneAtATime = makeOneAtATime();

  function newCallback(): Callback {
    const token = tokens.make();
    return { url: `${publicUrl}/notifications/${token}`, hash: tokens.hash(token) };
  }

  /**
   * Creates a remote subscription for a row that already has the callback's hash, and stores the service's answer. The first argument is
   * the row as it was when this was requested.
   */
  async function create(
    { id, state, reason }: Pick<Subscription, 'id' | 'state' | 'reason'>,
    wanted: WantedRemote,
    callback: Callback,
  ): Promise<Placed> {
    const called = await oneAtATime(wanted.linkId, () =>
      callService(wanted.linkId, async (accessToken) => ({
        accessToken,
        ...(await createWanted(accessToken, wanted, callback.url)),
      })),
    );
    if (called === 'relink') return called;
    const { accessToken, scope, made } = called;
    const place = { table: 'subscriptions', row: id, column: 'sealed_key' };
    const side = {
      serviceSubscriptionId: made.id,
      sealedKey: made.key === null ? null : await sealing.seal(place, made.key),
      resourcePath: made.resource,
      comprehensive: scope.comprehensive,
      callbackTokenHash: callback.hash,
      callbackBase: publicUrl,
      keepsPause: wanted.keepsPause,
      pausedFor: state === 'paused' ? reason : null,
    };
    const isActive = await inTransaction(deps.bot, async (bot) => {
      const wasAwaited = await rows.activate(bot.db, id, side, clock.now());
      if (wasAwaited) await wanted.store?.(bot);
      return wasAwaited;
    });
    if (isActive) return 'active';
    // The row no longer expects it, so the remote subscription just created must go. The link may be deleted by now, so the same token
    // is used.
    await service.deleteSubscription(accessToken, made.id);
    return (await subscriptions.released(id, clock.now())) ? 'ended' : 'overtaken';
  }

  /** Creates the remote subscription that a row is to have, or the one that it has if the service refuses that. */
  async function createWanted(accessToken: string, wanted: WantedRemote, callbackUrl: string) {
    const { scope, ifRefused } = remoteScope(wanted);
    const createOf = async (scope: Scope) => ({
      scope,
      made: await service.createSubscription(accessToken, { ...scope, callbackUrl }),
    });
    try {
      return await createOf(scope);
    } catch (error) {
      const failure = serviceFailure(error);
      if (ifRefused === null || wanted.exactly || !failure || !isRefusal(failure.kind)) throw error;
      return createOf(ifRefused);
    }
  }

  /**
   * Replaces a row's remote subscription with a new one, possibly through another person's link. The old one is removed only once the
   * new one exists; until then, notifications of both are accepted.
   */
  async function replace(before: Subscription, wanted: WantedRemote): Promise<Placed> {
    const callback = newCallback();
    const isMine = await subscriptions.beginReplacement(before, {
      callbackTokenHash: callback.hash,
      previousSealedKey: await sealedAsPrevious(before),
      now: clock.now(),
    });
    if (!isMine) {
      const row = await subscriptions.byId(before.id);
      return row?.state === 'ended' ? 'ended' : 'overtaken';
    }
    try {
      const created = await createBeside(before, wanted, callback);
      if (created === 'relink') await subscriptions.cancelReplacement(before.id, callback.hash, clock.now());
      else if (created !== 'overtaken' && (await removeRemote(before))) {
        const remoteId = remoteIdOf(before);
        if (remoteId) await subscriptions.previousRemoved(before.id, remoteId, clock.now());
      }
      return created;
    } catch (error) {
      await subscriptions.cancelReplacement(before.id, callback.hash, clock.now());
      throw error;
    }
  }

  /**
   * Seals the current remote subscription's Key again for the column of the previous one: sealed text only opens in the place it was
   * sealed for.
   */
  async function sealedAsPrevious({ id, sealedKey }: Subscription): Promise<string | null> {
    if (sealedKey === null) return null;
    const place = { table: 'subscriptions', row: id };
    const key = await sealing.open({ ...place, column: 'sealed_key' }, sealedKey);
    return sealing.seal({ ...place, column: 'previous_sealed_key' }, key);
  }

  /**
   * Creates the new remote subscription next to the old one. A service may allow one per person and resource; then the old one is
   * removed first.
   */
  async function createBeside(
    before: Subscription,
    wanted: WantedRemote,
    callback: Callback,
  ): Promise<Placed> {
    try {
      return await create(before, wanted, callback);
    } catch (error) {
      if (serviceFailure(error)?.kind !== 'conflict' || !(await removeRemote(before))) throw error;
      return create(before, wanted, callback);
    }
  }

  /**
   * Removes a remote subscription with its owner's link. The reconciler finds any that remains. `unlessResting`: not as long as the service
   * has asked to wait.
   */
  async function removeRemote(
    subscription: Subscription,
    { unlessResting = false }: ReleaseOptions = {},
  ): Promise<boolean> {
    const remoteId = remoteIdOf(subscription);
    if (remoteId === null) return false;
    const link = await deps.links.of(ownerOf(subscription));
    if (link?.state !== 'active' || (unlessResting && deps.isResting(link.id))) return false;
    try {
      const called = await callService(link.id, (accessToken) =>
        service.deleteSubscription(accessToken, remoteId),
      );
      return called !== 'relink';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      deps.log.warn(
        { ...subscriptionFields(subscription), failure: failure.forLog },
        'could not remove a remote subscription',
      );
      return false;
    }
  }

  /** Removes the remote subscription of an ended row, and records it if that succeeded. */
  async function release(subscription: Subscription, options?: ReleaseOptions): Promise<boolean> {
    const removed = await removeRemote(subscription, options);
    if (removed) await subscriptions.released(subscription.id, clock.now());
    return removed;
  }

  return { newCallback, create, replace, release, removeRemote };
}

/** Returns the id of the remote subscription that exists at the service: during a replacement, the previous one. */
function remoteIdOf(row: Subscription): string | null {
  return row.serviceSubscriptionId ?? row.previousServiceSubscriptionId;
}
