import { later, minuteMs } from '../../lib/durations.ts';
import { subscriptionMade } from '../../messages/subscribing/announcements.ts';
import type { Who } from '../../messages/text/copy.ts';
import * as lanes from '../../store/tables/lanes.ts';
import * as links from '../../store/tables/links.ts';
import type { StoredRemote } from '../../store/tables/remotes.ts';
import * as remotes from '../../store/tables/remotes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import { writeAudit } from '../access/audit.ts';
import { namesIn } from '../access/shown-names.ts';
import { announce } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { ownerOf } from '../model/people.ts';
import { isRefusal, mayPass, serviceFailure } from '../model/service-error.ts';
import { remoteScope, type Scope, subscribedOf } from '../model/subscription.ts';
import { undoValue } from '../model/undo.ts';
import { settleIn } from '../settling/settle.ts';

// Compares what stands at the service with what should, instead of walking from state to state: what one process left half done, the next run
// of any process finishes.

/** What a subscription should have at the service. */
export type WantedRemote = {
  /** The link to make it with. */
  readonly linkId: string;
  /** The scope to ask for; the row's own, unless the scope changes with it. */
  readonly comprehensive: boolean;
  /** Fails if the service refuses this scope, even if the row can have a narrower one. */
  readonly exactly?: boolean | undefined;
  /** A person asks for it: what is under way for the subscription is overtaken. */
  readonly overtakes?: boolean | undefined;
  /** Makes another one even if one stands that fits: the subscription has stopped. */
  readonly anew?: boolean | undefined;
  /** Leaves a paused row paused: it is resumed separately. */
  readonly keepsPause?: boolean | undefined;
  /** What else is stored in the same transaction, such as the announcement: the process may die right after it. */
  readonly store?: ((bot: Bot) => Promise<void>) | undefined;
};

/** The row after the service was asked. `ended`: removed meanwhile, and what was made is deleted. `busy`: another process asks or has changed it. */
type Placed = 'active' | 'ended' | 'busy';

/**
 * Makes a remote subscription for a subscription, and then deletes those that it replaces. Until then, notifications of both are accepted. A
 * service may allow one a person and resource; then the others go first. Throws the service's error.
 */
export async function place(bot: Bot, row: Subscription, wanted: WantedRemote): Promise<Placed> {
  const placed = await make(bot, row, wanted).catch(async (error: unknown) => {
    if (serviceFailure(error)?.kind !== 'conflict') throw error;
    const before = (await remotes.ofSubscription(bot.db, row.id)).filter(({ madeAt }) => madeAt !== null);
    if (before.length === 0 || !(await release(bot, row, before))) throw error;
    return make(bot, row, wanted);
  });
  if (placed === 'active' || placed === 'busy') await releaseUnwanted(bot, row.id);
  return placed;
}

/** Asks the service, and stores its answer. What it is asked for is stored before, so that nothing can be left there unknown. */
async function make(bot: Bot, row: Subscription, wanted: WantedRemote): Promise<Placed> {
  const { db, service, sealing, tokens, clock } = bot;
  const { publicUrl } = bot.config;
  const { linkId, comprehensive, overtakes, anew } = wanted;
  const token = tokens.make();
  const callbackBase = publicUrl;
  const asked = { linkId, comprehensive, callbackBase, tokenHash: tokens.hash(token), overtakes, anew };
  const id = await remotes.ask(db, row, asked, clock.now());
  if (id === null) return (await subscriptions.byId(db, row.id))?.state === 'ended' ? 'ended' : 'busy';
  const callbackUrl = `${publicUrl}/notifications/${token}`;
  const { accessToken, created, scope } = await callService(bot, linkId, async (accessToken) => ({
    accessToken,
    ...(await create(bot, accessToken, { ...wanted, target: row.target }, callbackUrl)),
  })).catch(async (error: unknown) => {
    // Without a token, nothing was made. Whatever another answer was, it may have been: the check of the link looks.
    if (serviceFailure(error)?.kind === 'unauthorized') await remotes.deleted(db, [id], clock.now());
    else await remotes.lost(db, id, clock.now());
    throw error;
  });
  const place = { table: 'remotes', row: id, column: 'sealed_key' };
  const sealedKey = created.key === null ? null : await sealing.seal(place, created.key);
  const was = { comprehensive: scope.comprehensive, keepsPause: wanted.keepsPause ?? false };
  const answer = { serviceId: created.id, sealedKey, comprehensive: scope.comprehensive };
  const placed = await inTransaction(bot, async (bot): Promise<Placed> => {
    // The lane and then the subscription, in the order in which settling and `ask` lock them.
    await lanes.lock(bot.db, row);
    const isLive = (await subscriptions.lock(bot.db, row.id)) && (await links.hold(bot.db, linkId));
    if (!(await remotes.made(bot.db, id, answer, clock.now()))) {
      // This process stood still for so long that the answer was given up. A check makes what is wanted, and deletes this one.
      await links.checkSoon(bot.db, linkId, clock.now());
      return 'busy';
    }
    if (!isLive || !(await subscriptions.activate(bot.db, row.id, was, clock.now()))) return 'ended';
    await wanted.store?.(bot);
    await settleIn(bot, row);
    return 'active';
  });
  if (placed !== 'ended') return placed;
  // Nothing waits for it any more. Its link may be gone by now, so the same token is used.
  await service.deleteSubscription(accessToken, created.id);
  await remotes.deleted(db, [id], clock.now());
  return 'ended';
}

/** Creates the remote subscription that a row is to have, or the one that it has if the service refuses that. */
async function create(
  { service }: Bot,
  accessToken: string,
  wanted: Scope & Pick<WantedRemote, 'exactly'>,
  callbackUrl: string,
) {
  const { scope, ifRefused } = remoteScope(wanted);
  const createOf = async (scope: Scope) => ({
    scope,
    created: await service.createSubscription(accessToken, { ...scope, callbackUrl }),
  });
  try {
    return await createOf(scope);
  } catch (error) {
    const failure = serviceFailure(error);
    if (ifRefused === null || wanted.exactly || !failure || !isRefusal(failure.kind)) throw error;
    return createOf(ifRefused);
  }
}

/** Deletes at the service what a subscription has there besides the one that fits it; all of it once it has ended. Never throws a service's error. */
export async function releaseUnwanted(bot: Bot, subscriptionId: string): Promise<void> {
  const row = await subscriptions.byId(bot.db, subscriptionId);
  if (row === null) return;
  const link = await links.of(bot.db, ownerOf(row));
  const there = (await remotes.ofSubscription(bot.db, row.id)).filter(({ madeAt }) => madeAt !== null);
  const kept = there.find((remote) => fits(bot, row, link, remote));
  // Until the new one is made, the old one notifies the bot.
  if (kept === undefined && row.state !== 'ended') return;
  const others = there.filter((remote) => remote !== kept);
  await release(bot, row, others);
}

/** Returns whether a remote subscription is what the subscription should have at the service. */
export function fits({ config }: Bot, row: Subscription, link: Link | null, remote: StoredRemote): boolean {
  return (
    row.state !== 'ended' &&
    remote.madeAt !== null &&
    // One that was found by its token has no Key.
    remote.lostAt === null &&
    remote.linkId === link?.id &&
    remote.callbackBase === config.publicUrl &&
    remote.comprehensive === row.comprehensive
  );
}

/** Deletes remote subscriptions at the service. Returns whether all are gone; the others are tried again by `syncRound`. */
export async function release(
  bot: Bot,
  row: Subscription,
  unwanted: readonly StoredRemote[],
): Promise<boolean> {
  let all = true;
  for (const remote of unwanted) if (!(await releaseOne(bot, row, remote))) all = false;
  return all;
}

/** How long the service is not asked again to delete what it refused to. CONTRACT: within 10 minutes. */
const refusedAgainMs = 8 * minuteMs;

async function releaseOne(
  bot: Bot,
  row: Subscription,
  { id, linkId, serviceId }: StoredRemote,
): Promise<boolean> {
  const { db, clock, service, log } = bot;
  const fields = { ...subscriptionFields(row), record: serviceId ?? undefined };
  const link = linkId === null ? null : await links.byId(db, linkId);
  if (link === null || serviceId === null) {
    log.warn(fields, 'a remote subscription stays at the service: its link is gone');
    await remotes.deleted(db, [id], clock.now());
    return true;
  }
  try {
    await callService(bot, link.id, (accessToken) => service.deleteSubscription(accessToken, serviceId));
    await remotes.deleted(db, [id], clock.now());
    return true;
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure) throw error;
    const { kind, forLog } = failure;
    // A deletion that the service refuses is retried less often; one that only needs a new link is not delayed.
    if (!mayPass(kind) && kind !== 'unauthorized')
      await remotes.retryAt(db, id, later(clock.now(), refusedAgainMs));
    log.warn({ ...fields, failure: forLog }, 'could not remove a remote subscription');
    return false;
  }
}

/** Makes a new subscription at the service, as `place` does, and announces it. `by`: how messages name who subscribed. */
export async function placeNew(bot: Bot, row: Subscription, linkId: string, by: Who): Promise<Placed> {
  const { id, channelId, comprehensive } = row;
  const settings = { ...row, names: await namesIn(bot, row, row) };
  const store = async (bot: Bot): Promise<void> => {
    // Read again: names learned elsewhere may be shown now that the service has accepted this person.
    const subscribed = subscribedOf((await subscriptions.byId(bot.db, id)) ?? row);
    const undo = undoValue(id, bot.clock.now());
    await announce(bot, row, subscriptionMade({ id, by, subscribed, settings, undoValue: undo }));
    await writeAudit(bot, { person: ownerOf(row), channelId }, 'subscribe', id);
  };
  return place(bot, row, { linkId, comprehensive, store });
}
