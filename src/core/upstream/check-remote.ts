import { subscriptionEnded } from '../../messages/subscribing/announcements.ts';
import type { Remote } from '../../service/shapes.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import * as remotes from '../../store/tables/remotes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import { endFor } from '../access/audit.ts';
import { announce } from '../announce.ts';
import { type Bot, inTransaction } from '../bot.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { subscriptionFields } from '../model/log-fields.ts';
import { checksToWarn, waitsForOwner } from '../model/pause-reason.ts';
import {
  isRefusal,
  mayPass,
  type ServiceError,
  type ServiceErrorKind,
  serviceFailure,
} from '../model/service-error.ts';
import { type Health, isOddStatus, subscribedOf } from '../model/subscription.ts';
import { settle } from '../settling/settle.ts';
import { fits, place, releaseUnwanted } from './sync.ts';

/** The result for one subscription. `health`: null if it ended or another process is working on it. `failure`: why it is not in sync. */
export type CheckedRow = { readonly health: Health | null; readonly failure?: ServiceErrorKind };

const notOurs: CheckedRow = { health: null };

/**
 * Compares one subscription with the service. `listed`: the link's remote subscriptions as the service listed them, by id.
 * A remote subscription is lost only if it cannot be found by its id either, because the list may cover one workspace only. If it is
 * lost, or is not what it should be, another one is made. A subscription that waits for its owner resumes once its remote one exists. Throws
 * the service's error `unauthorized`, which concerns all that the link made.
 */
export async function checkSubscriptionOf(
  bot: Bot,
  link: Link,
  row: Subscription,
  listed: ReadonlyMap<string, Remote>,
): Promise<CheckedRow> {
  const there = await remotes.ofSubscription(bot.db, row.id);
  // It is being made right now.
  if (there.some(({ madeAt, lostAt }) => madeAt === null && lostAt === null)) return notOurs;
  const kept = there.find((remote) => fits(bot, row, link, remote));
  if (!kept)
    return remake(bot, link, row, !there.some(({ madeAt, lostAt }) => madeAt !== null && lostAt === null));
  const found = await findRemote(bot, link, kept.serviceId ?? '', listed);
  if (found === 'lost') {
    await remotes.lost(bot.db, kept.id, bot.clock.now());
    return remake(bot, link, row, true);
  }
  if (found instanceof Error) return failed(bot, row, found, false);
  if (there.length > 1) await releaseUnwanted(bot, row.id);
  await resume(bot, row, false);
  return { health: fine(bot, row, found.status, false) };
}

async function findRemote(
  bot: Bot,
  link: Link,
  id: string,
  listed: ReadonlyMap<string, Remote>,
): Promise<Remote | ServiceError | 'lost'> {
  const known = listed.get(id);
  if (known) return known;
  try {
    return await callService(bot, link.id, (token) => bot.service.getSubscription(token, id));
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure || failure.kind === 'unauthorized') throw error;
    // What is forbidden belongs to an account that was linked before this one.
    return isRefusal(failure.kind) ? 'lost' : failure;
  }
}

async function remake(bot: Bot, link: Link, row: Subscription, wasLost: boolean): Promise<CheckedRow> {
  const wanted = { linkId: link.id, comprehensive: row.comprehensive, keepsPause: true };
  try {
    if ((await place(bot, row, wanted)) !== 'active') return notOurs;
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure || failure.kind === 'unauthorized') throw error;
    return refused(bot, row, failure, wasLost);
  }
  await resume(bot, row, wasLost);
  return { health: fine(bot, row, null, wasLost) };
}

async function refused(
  bot: Bot,
  row: Subscription,
  failure: ServiceError,
  wasLost: boolean,
): Promise<CheckedRow> {
  if (failure.kind === 'not-found') {
    await end(bot, row);
    return notOurs;
  }
  const result = failed(bot, row, failure, wasLost);
  const isWithheld = wasLost && result.health.failedChecks >= checksToWarn;
  if (failure.kind !== 'forbidden' && !isWithheld) return result;
  const reason = failure.kind === 'forbidden' ? 'no access' : 'not sent any more';
  if (await obstacles.withhold(bot.db, [row.id], reason, { instead: true })) await settle(bot, row);
  return result;
}

async function end(bot: Bot, row: Subscription): Promise<void> {
  const subscribed = subscribedOf(row);
  await inTransaction(bot, async (bot) => {
    const rows = await endFor(bot, [row.id], 'not found');
    if (rows.length > 0) await announce(bot, row, subscriptionEnded(subscribed, 'not found'));
  });
  await releaseUnwanted(bot, row.id);
}

/** Notes that the service sends a subscription's changes, and settles its channel if it did not. */
async function resume(bot: Bot, row: Subscription, wasLost: boolean): Promise<void> {
  if (await obstacles.noteSent(bot.db, row.id, { wasLost })) await settle(bot, row);
}

function fine({ clock, log }: Bot, row: Subscription, status: string | null, wasLost: boolean): Health {
  const oddChecks = isOddStatus(status) ? (row.health?.oddChecks ?? 0) + 1 : 0;
  const checkedAt = clock.now().toISOString();
  const lostInPause = isLostInPause(row, wasLost);
  const health = { checkedAt, status, oddChecks, failedChecks: 0, lostInPause };
  if (oddChecks === checksToWarn)
    log.warn({ ...subscriptionFields(row), state: status }, 'a subscription is not active');
  return health;
}

function failed(
  { clock, log }: Bot,
  row: Subscription,
  failure: ServiceError,
  wasLost: boolean,
): { readonly health: Health; readonly failure: ServiceErrorKind } {
  const { kind, forLog } = failure;
  log.warn({ ...subscriptionFields(row), failure: forLog, wasLost }, 'could not repair a subscription');
  const health: Health = {
    checkedAt: clock.now().toISOString(),
    status: row.health?.status ?? null,
    oddChecks: row.health?.oddChecks ?? 0,
    failedChecks: (row.health?.failedChecks ?? 0) + 1,
    // An answer that can't be read may be about one that was made.
    refused: !mayPass(kind) && kind !== 'unreadable',
    lostInPause: isLostInPause(row, wasLost),
  };
  return { health, failure: kind };
}

/** One that waits for its owner resumes right after it was created again, and says so then. */
function isLostInPause(row: Subscription, wasLost: boolean): boolean {
  return row.state === 'paused' && !waitsForOwner(row) && (wasLost || row.health?.lostInPause === true);
}
