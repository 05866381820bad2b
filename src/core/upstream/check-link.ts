import { dayMs, earlier, hourMs, later, minuteMs } from '../../lib/durations.ts';
import type { Remote } from '../../service/shapes.ts';
import type { ClaimedCheck } from '../../store/tables/links.ts';
import * as links from '../../store/tables/links.ts';
import * as obstacles from '../../store/tables/obstacles.ts';
import type { FoundByToken } from '../../store/tables/remotes.ts';
import * as remotes from '../../store/tables/remotes.ts';
import type { Subscription } from '../../store/tables/subscription-row.ts';
import * as subscriptions from '../../store/tables/subscriptions.ts';
import type { Bot } from '../bot.ts';
import { callService } from '../linking/access-tokens.ts';
import type { Link } from '../model/link.ts';
import { personFields, subscriptionFields } from '../model/log-fields.ts';
import { personOf, type SlackPerson } from '../model/people.ts';
import { type ServiceErrorKind, serviceFailure } from '../model/service-error.ts';
import { settleOwned } from '../settling/settle.ts';
import { type CheckedRow, checkSubscriptionOf } from './check-remote.ts';

/**
 * What a check of a link found. `in sync`: the service has what its subscriptions need. `troubled`: something about the link or a subscription
 * is not in order, or not known. `away`: the service did not answer.
 */
type Checked = 'in sync' | 'troubled' | 'away';

/** How long a process has for a check before another one may begin it. */
const checkingMs = 5 * minuteMs;
/**
 * A link is checked again after this time, or as soon as all that are due for longer have been. If the service did not answer, what is missing
 * there is not even known: it is made within 10 minutes once the service is back.
 */
const checkedAgainMs = { usually: hourMs, away: 8 * minuteMs };
/** After this many subscriptions of a link without an answer, the rest waits for the next check. */
const mostAwayOfLink = 3;
/** How often Slack is asked who a link's person is, and for how many people of a workspace a minute. */
const standing = { askedAgainMs: dayMs, mostAMinute: 60 };
/** Failures that the next call with this link would run into as well. */
const endsCheck: ReadonlySet<ServiceErrorKind> = new Set(['unauthorized', 'rate-limited']);
/** After this many deletions without a usable answer, the service may be unavailable, and the rest waits for the next check. */
const mostUnanswered = 3;

/**
 * Compares what the service lists for a link with what is stored, and repairs what differs. Missing remote subscriptions are made again,
 * those that nothing is stored of are deleted. A subscription whose remote one cannot be made is paused or ended, with an announcement in
 * its channel. Only remote subscriptions whose callback URL has one of this bot's tokens are touched; anything else in the person's account
 * is not ours. Throws errors that are not the service's.
 * @param retries whether what the service refused is asked for again
 * @returns null if there is no such link, or another process is checking it
 */
export async function checkLink(bot: Bot, linkId: string, { retries = true } = {}): Promise<Checked | null> {
  const now = bot.clock.now();
  const claimed = await links.claimCheck(bot.db, linkId, { now, until: later(now, checkingMs) });
  return claimed && checkClaimed(bot, claimed, retries);
}

/** Checks the link of a person who has just linked, which resumes what waits; again if a check with its old tokens is under way. */
export async function checkLinked(bot: Bot, person: SlackPerson): Promise<void> {
  const link = await links.of(bot.db, person);
  if (link === null || (await subscriptions.ofOwner(bot.db, person)).length === 0) return;
  await links.checkSoon(bot.db, link.id, bot.clock.now());
  await checkLink(bot, link.id);
}

/** Checks a link that was claimed, as `checkLink` does, and ends the claim. */
async function checkClaimed(bot: Bot, claimed: ClaimedCheck, retries = true): Promise<Checked> {
  let found: Checked = 'troubled';
  try {
    found = await check(bot, claimed.id, retries);
    return found;
  } finally {
    const next = later(bot.clock.now(), checkedAgainMs[found === 'away' ? 'away' : 'usually']);
    await links.finishCheck(bot.db, claimed, { next, isTroubled: found !== 'in sync' });
  }
}

async function check(bot: Bot, linkId: string, retries: boolean): Promise<Checked> {
  const link = await links.byId(bot.db, linkId);
  if (link === null) return 'in sync';
  // Before the list, so that none that is made in between is taken for missing.
  const rows = await subscriptions.ofOwner(bot.db, link);
  if (!(await isMember(bot, link))) return 'troubled';
  try {
    return await checkAtService(bot, link, retries ? rows : rows.filter(({ health }) => !health?.refused));
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure) throw error;
    if (failure.kind === 'unauthorized') {
      const ids = rows.map(({ id }) => id);
      if (await obstacles.withhold(bot.db, ids, 'link lost')) await settleOwned(bot, link);
    } else {
      const fields = { ...personFields(link), link: link.id, failure: failure.forLog };
      bot.log.warn(fields, 'could not check a link');
    }
    return failure.kind === 'unavailable' ? 'away' : 'troubled';
  }
}

/** Asks Slack, if it is time, whether the person is still a full member, and freezes their link if not. Returns whether it can be used. */
async function isMember(bot: Bot, link: Link): Promise<boolean> {
  const { db, clock, slack } = bot;
  const now = clock.now();
  const asking = { now, before: earlier(now, standing.askedAgainMs), most: standing.mostAMinute };
  const profile = (await links.mayAskStanding(db, link, asking))
    ? await slack.profileOf(personOf(link)).catch(() => null)
    : null;
  if (profile === null) return link.state !== 'frozen';
  if (profile.standing !== 'member') {
    await links.freeze(db, link.id, now);
    await settleOwned(bot, link);
    return false;
  }
  if (link.state === 'frozen') await links.thaw(db, link.id);
  return true;
}

async function checkAtService(bot: Bot, link: Link, rows: readonly Subscription[]): Promise<Checked> {
  const askedAt = bot.clock.now();
  const listed = await callService(bot, link.id, (token) => bot.service.listSubscriptions(token));
  const isComplete = await compareListed(bot, link, listed, askedAt);
  const isInOrder = await checkRows(bot, link, rows, listed);
  return isComplete && isInOrder ? 'in sync' : 'troubled';
}

/**
 * Compares listed remote subscriptions with one of our callback URLs with what was asked for; this is read after the list, since it is always
 * stored before the service is asked. What nothing is stored of is deleted. What was asked for and never answered is found here, or was
 * never made. Returns whether the service answered all deletions.
 */
export async function compareListed(
  bot: Bot,
  link: Link,
  listed: readonly Remote[],
  listedAt: Date,
): Promise<boolean> {
  const { db, clock, tokens } = bot;
  const ours = listed.flatMap((remote) => {
    const token = tokenIn(remote);
    return token !== null && tokens.isOurs(token) ? [{ remote, hash: tokens.hash(token) }] : [];
  });
  const hashes = ours.map(({ hash }) => hash);
  const known = await remotes.byTokens(db, hashes, clock.now());
  const listedOurs = ours.map(({ remote, hash }) => ({ remote, row: known.get(hash.toString('hex')) }));
  const groups = Map.groupBy(listedOurs, ({ remote, row }) => isAskedFor(row, remote));
  const [wanted = [], stale = []] = [groups.get(true), groups.get(false)];
  for (const { remote, row } of wanted) {
    if (row?.recordId === null && row.lostAt !== null)
      await remotes.found(db, row.remoteId, remote.id, clock.now());
  }
  const found = new Set(wanted.map(({ row }) => row?.remoteId));
  await noteNeverMade(bot, link, { found, listedAt });
  let unanswered = 0;
  // One that the service never deletes must not keep the others waiting.
  for (const { remote } of shuffled(stale)) {
    if (!(await removeStale(bot, link, remote))) unanswered += 1;
    if (unanswered === mostUnanswered) break;
  }
  return unanswered === 0;
}

/** Whether a listed remote subscription is the one that its token was made for, as far as that is known. */
function isAskedFor(row: FoundByToken | undefined, { id }: Remote): row is FoundByToken {
  return row !== undefined && row.deletedAt === null && (row.recordId === null || row.recordId === id);
}

/** Notes what was asked for, never answered, and is not among what the list had, although its answer can't come any more: it was never made. */
async function noteNeverMade(
  { db, clock }: Bot,
  link: Link,
  { found, listedAt }: { readonly found: ReadonlySet<string | undefined>; readonly listedAt: Date },
): Promise<void> {
  const before = earlier(listedAt, remotes.askingMs);
  const never = (await remotes.ofLink(db, link.id)).filter(
    ({ id, lostAt, madeAt, askedAt }) =>
      lostAt !== null && madeAt === null && askedAt <= before && !found.has(id),
  );
  const ids = never.map(({ id }) => id);
  if (ids.length > 0) await remotes.deleted(db, ids, clock.now());
}

/** Returns whether the service answered. */
async function removeStale(bot: Bot, link: Link, { id }: Remote): Promise<boolean> {
  const { log, service } = bot;
  const fields = { ...personFields(link), link: link.id };
  try {
    await callService(bot, link.id, (token) => service.deleteSubscription(token, id));
    log.warn({ ...fields, record: id }, 'removed a stale remote subscription');
    return true;
  } catch (error) {
    const failure = serviceFailure(error);
    if (!failure || endsCheck.has(failure.kind)) throw error;
    log.warn({ ...fields, failure: failure.forLog }, 'could not remove a stale remote subscription');
    return failure.kind !== 'unavailable';
  }
}

/** Returns whether all were checked and are in order. */
async function checkRows(
  bot: Bot,
  link: Link,
  rows: readonly Subscription[],
  listed: readonly Remote[],
): Promise<boolean> {
  const byId = new Map(listed.map((remote) => [remote.id, remote]));
  let away = 0;
  let isInOrder = true;
  for (const row of inTurn(rows.filter(({ state }) => state !== 'pending'))) {
    if (bot.later.isStopping() || away === mostAwayOfLink) return false;
    const { health, failure } = await checkRow(bot, link, row, byId);
    if (failure === 'rate-limited') return false;
    if (failure === 'unavailable') away += 1;
    if (health && (health.failedChecks > 0 || health.oddChecks > 0)) isInOrder = false;
  }
  return isInOrder && away === 0;
}

/** A fault in one row must not keep the person's other rows from being checked. */
async function checkRow(
  bot: Bot,
  link: Link,
  row: Subscription,
  listed: ReadonlyMap<string, Remote>,
): Promise<CheckedRow> {
  try {
    const checked = await checkSubscriptionOf(bot, link, row, listed);
    const { health } = checked;
    if (health) await subscriptions.noteHealth(bot.db, [{ id: row.id, health }]);
    return checked;
  } catch (error) {
    if (serviceFailure(error)) throw error;
    bot.log.warn({ err: error, link: link.id, ...subscriptionFields(row) }, 'could not check a subscription');
    return { health: null };
  }
}

/** Returns the last part of a callback URL; null if it cannot be one of ours. */
function tokenIn({ callbackUrl }: Remote): string | null {
  const path = callbackUrl === null ? undefined : URL.parse(callbackUrl)?.pathname;
  return /\/notifications\/([^/]+)$/.exec(path ?? '')?.[1] ?? null;
}

/** Sorts what could not be repaired last time to the end, so that it does not keep others waiting, and else by when it was last checked. */
function inTurn(rows: readonly Subscription[]): Subscription[] {
  const hasFailed = ({ health }: Subscription) => Number((health?.failedChecks ?? 0) > 0);
  const checkedAt = ({ health }: Subscription) => health?.checkedAt ?? '';
  return rows.toSorted(
    (one, other) => hasFailed(one) - hasFailed(other) || checkedAt(one).localeCompare(checkedAt(other)),
  );
}

/** Returns the values in random order. */
export function shuffled<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ value }) => value);
}

/** Links that one process checks at the same time, and at most in a second. */
const atOnce = 8;
const betweenMs = 1_000;

/**
 * Checks the links that are due, the longest overdue first, until none is, the bot stops or the service does not answer. Runs every minute in
 * each worker process: each claims the links that it checks, so that a few processes check a million of them in a day.
 */
export async function checkLinks(bot: Bot): Promise<void> {
  const { db, clock, later: work, log } = bot;
  for (;;) {
    if (work.isStopping()) return;
    const now = clock.now();
    const claimed = await links.claimDue(db, atOnce, { now, until: later(now, checkingMs) });
    if (claimed.length === 0) return;
    const found = await Promise.all(
      claimed.map((one) =>
        checkClaimed(bot, one).catch((error: unknown) => {
          log.warn({ err: error, link: one.id }, 'could not check a link');
          return 'troubled';
        }),
      ),
    );
    if (found.every((each) => each === 'away'))
      return log.warn({}, 'the service is unavailable: check ended');
    if (claimed.length < atOnce) return;
    await bot.inProcess.sleep(betweenMs);
  }
}
