import type { Log } from '../../lib/log.ts';
import { makeOneAtATime } from '../../lib/one-at-a-time.ts';
import type { ServiceClient } from '../../service/client.ts';
import type { Sealing } from '../../store/sealing/sealing.ts';
import type { Links } from '../../store/tables/links.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import type { Subscriptions } from '../../store/tables/subscriptions.ts';
import type { Clock } from '../model/clock.ts';
import { ownerOf } from '../model/people.ts';
import { remoteResource } from '../model/remote-resource.ts';
import { serviceFailure } from '../model/service-error.ts';
import type { Target } from '../model/subscription.ts';
import type { CallbackTokens } from '../receiving/callback-token.ts';
import type { Called, CallService } from './call-service.ts';

export type UpstreamDeps = {
  readonly service: ServiceClient;
  readonly callService: CallService;
  readonly subscriptions: Subscriptions;
  readonly links: Pick<Links, 'of'>;
  readonly sealing: Sealing;
  readonly tokens: CallbackTokens;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly log: Pick<Log, 'warn'>;
};

/** The service's side of subscriptions: making, replacing and removing their remote subscriptions. */
export type Upstream = ReturnType<typeof makeUpstream>;

/** What is to be asked of the service in a link's name. */
export type WantedRemote = {
  readonly linkId: string;
  readonly target: Target;
  readonly comprehensive: boolean;
  /** Leaves a paused row paused: it is resumed separately. */
  readonly keepsPause?: boolean | undefined;
};

/**
 * What became of the row meanwhile. `ended`: it was removed. `overtaken`: another process has its remote subscription made, or has changed
 * it. What was made for it is removed again then.
 */
export type Placed = 'active' | 'ended' | 'overtaken';

/** A callback address, and what is stored of it. */
export type Callback = { readonly url: string; readonly hash: Buffer };

/** Calls of the service in a person's name, with what is stored of them. All throw the service's error. */
export function makeUpstream(deps: UpstreamDeps) {
  const { service, callService, subscriptions, sealing, tokens, clock, publicUrl } = deps;
  // The service's limits are not documented, so one link makes one at a time.
  const oneAtATime = makeOneAtATime();

  function newCallback(): Callback {
    const token = tokens.make();
    return { url: `${publicUrl}/notifications/${token}`, hash: tokens.hash(token) };
  }

  /** Makes a remote subscription for a row that carries the callback's hash already, and stores what the service said. */
  async function create(id: string, wanted: WantedRemote, callback: Callback): Promise<Called<Placed>> {
    const called = await oneAtATime(wanted.linkId, () =>
      callService(wanted.linkId, (accessToken) =>
        service.createSubscription(accessToken, { ...remoteResource(wanted), callbackUrl: callback.url }),
      ),
    );
    if (called.outcome === 'relink') return called;
    const made = called.value;
    const place = { table: 'subscriptions', row: id, column: 'sealed_key' };
    const side = {
      serviceSubscriptionId: made.id,
      sealedKey: made.key === null ? null : await sealing.seal(place, made.key),
      resourcePath: made.resource,
      callbackTokenHash: callback.hash,
      callbackBase: publicUrl,
      keepsPause: wanted.keepsPause,
    };
    if (await subscriptions.activate(id, side, clock.now())) return { outcome: 'done', value: 'active' };
    // The row waits for it no more: what the service has just made is nobody's.
    await callService(wanted.linkId, (accessToken) => service.deleteSubscription(accessToken, made.id));
    const hasEnded = await subscriptions.released(id, clock.now());
    return { outcome: 'done', value: hasEnded ? 'ended' : 'overtaken' };
  }

  /**
   * Replaces a row's remote subscription by a new one, made with a link that may be another's. The old one is removed only once the new one
   * is there, and the notifications of both are taken meanwhile.
   */
  async function replace(before: Subscription, wanted: WantedRemote): Promise<Called<Placed>> {
    const callback = newCallback();
    const isMine = await subscriptions.beginReplacement(before, {
      callbackTokenHash: callback.hash,
      previousSealedKey: await sealedAsPrevious(before),
      now: clock.now(),
    });
    if (!isMine) {
      const row = await subscriptions.byId(before.id);
      return { outcome: 'done', value: row?.state === 'ended' ? 'ended' : 'overtaken' };
    }
    try {
      const created = await createBeside(before, wanted, callback);
      if (created.outcome === 'relink')
        await subscriptions.cancelReplacement(before.id, callback.hash, clock.now());
      else if (created.value !== 'overtaken' && (await removeRecord(before))) {
        const recordId = recordOf(before);
        if (recordId) await subscriptions.previousRemoved(before.id, recordId, clock.now());
      }
      return created;
    } catch (error) {
      await subscriptions.cancelReplacement(before.id, callback.hash, clock.now());
      throw error;
    }
  }

  /**
   * The Key of the remote subscription that stands, for the column of what is being replaced: sealed text opens only where it was sealed
   * for.
   */
  async function sealedAsPrevious({ id, sealedKey }: Subscription): Promise<string | null> {
    if (sealedKey === null) return null;
    const place = { table: 'subscriptions', row: id };
    const key = await sealing.open({ ...place, column: 'sealed_key' }, sealedKey);
    return sealing.seal({ ...place, column: 'previous_sealed_key' }, key);
  }

  /** A service may allow one remote subscription a person and resource: there the old one has to go first. */
  async function createBeside(
    before: Subscription,
    wanted: WantedRemote,
    callback: Callback,
  ): Promise<Called<Placed>> {
    try {
      return await create(before.id, wanted, callback);
    } catch (error) {
      if (serviceFailure(error)?.kind !== 'conflict' || !(await removeRecord(before))) throw error;
      return create(before.id, wanted, callback);
    }
  }

  /** Removes a remote subscription with its owner's link. One that stays is found by the reconciler. */
  async function removeRecord(subscription: Subscription): Promise<boolean> {
    const recordId = recordOf(subscription);
    if (recordId === null) return false;
    const link = await deps.links.of(ownerOf(subscription));
    if (link?.state !== 'active') return false;
    try {
      const called = await callService(link.id, (accessToken) =>
        service.deleteSubscription(accessToken, recordId),
      );
      return called.outcome === 'done';
    } catch (error) {
      const failure = serviceFailure(error);
      if (!failure) throw error;
      deps.log.warn({ subscription: subscription.id, failure: failure.forLog }, 'a record was not removed');
      return false;
    }
  }

  /** Removes the service's side of a row that has ended, and notes it where that succeeded. */
  async function release(subscription: Subscription): Promise<boolean> {
    const removed = await removeRecord(subscription);
    if (removed) await subscriptions.released(subscription.id, clock.now());
    return removed;
  }

  return { newCallback, create, replace, release, removeRecord };
}

/** The remote subscription that stands at the service: in the middle of a replacement the previous one. */
function recordOf(row: Subscription): string | null {
  return row.serviceSubscriptionId ?? row.previousServiceSubscriptionId;
}
