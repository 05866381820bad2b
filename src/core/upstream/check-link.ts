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
import { checkSubscriptionOf } from './check-remote.ts';

/**
 * The result of checking a link.
 * - `checked`: all of its subscriptions are in sync with the service, or it is known why not
 * - `link lost`: the service no longer accepts its tokens, and its subscriptions wait for the person
 * - `frozen`: the person is no longer a full member of the workspace
 * - `away`: the service did not answer
 * - `deferred`: it refused, or did not answer for every subscription; the next check tries again
 * - `busy`: another process is checking it; `gone`: there is no such link
 */
type Checked = 'checked' | 'link lost' | 'frozen' | 'away' | 'deferred' | 'busy' | 'gone';

/** What a check found. `isTroubled`: something about the link or a subscription is not in order. */
type LinkCheck = { readonly checked: Checked; readonly isTroubled: boolean };

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
 */
export async function checkLink(bot: Bot, linkId: string, { retries = true } = {}): Promise<Checked> {
  const now = bot.clock.now();
  const claimed = await links.claimCheck(bot.db, linkId, { now, until: later(now, checkingMs) });
  if (claimed === null) return (await links.byId(bot.db, linkId)) === null ? 'gone' : 'busy';
  return checkClaimed(bot, claimed, retries);
}

/**
 * Checks the link of a person who has just linked, which resumes what waits for them. A process that is checking it may have started with its
 * old tokens: it is checked again.
 */
export async function checkLinked(bot: Bot, person: SlackPerson): Promise<void> {
  const link = await links.of(bot.db, person);
  if (link === null || (await subscriptions.ofOwner(bot.db, person)).length === 0) return;
  await links.checkSoon(bot.db, link.id, bot.clock.now());
  await checkLink(bot, link.id);
}

/** Checks a link that was claimed, as `checkLink` does, and ends the claim. */
async function checkClaimed(bot: Bot, claimed: ClaimedCheck, retries = true): Promise<Checked> {
  let found: LinkCheck = { checked: 'deferred', isTroubled: true };
  try {
    found = await check(bot, claimed.id, retries);
    return found.checked;
  } finally {
    const next = later(bot.clock.now(), checkedAgainMs[found.checked === 'away' ? 'away' : 'usually']);
    await links.finishCheck(bot.db, claimed, { next, isTroubled: found.isTroubled });
  }
}

async function check(bot: Bot, linkId: string, retries: boolean): Promise<LinkCheck> {
  const link = await links.byId(bot.db, linkId);
  if (link === null) return { checked: 'gone', isTroubled: false };
  // Before the list, so that none that is made in between is taken for missing.
  const rows = await subscriptions.ofOwner(bot.db, link);
  if (!(await isMember(bot, link))) return { checked: 'frozen', isTroubled: true };
  const checked = retries ? rows : rows.filter(({ health }) => !health?.refused);
  const found = await checkAtService(bot, link, checked).catch((error: unknown) =>
    foundFrom(bot, link, error),
  );
  if (found.checked === 'link lost') {
    const ids = rows.map(({ id }) => id);
    if (await obstacles.withhold(bot.db, ids, 'link lost')) await settleOwned(bot, link);
  }
  return found;
}

/**
 * Asks Slack, if it is time, whether the person is still a full member. If not, the link is frozen. If Slack does not say, the link stays as
 * it is. Returns whether it can be used.
 */
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

function foundFrom({ log }: Bot, link: Link, error: unknown): LinkCheck {
  const failure = serviceFailure(error);
  if (!failure) throw error;
  if (failure.kind === 'unauthorized') return { checked: 'link lost', isTroubled: true };
  log.warn({ ...personFields(link), link: link.id, failure: failure.forLog }, 'could not check a link');
  return { checked: failure.kind === 'unavailable' ? 'away' : 'deferred', isTroubled: true };
}

async function checkAtService(bot: Bot, link: Link, rows: readonly Subscription[]): Promise<LinkCheck> {
  const askedAt = bot.clock.now();
  const listed = await callService(bot, link.id, (token) => bot.service.listSubscriptions(token));
  if (listed === 'relink') return { checked: 'link lost', isTroubled: true };
  const compared = await compareListed(bot, link, listed, askedAt);
  if (compared === 'link lost') return { checked: 'link lost', isTroubled: true };
  const found = await checkRows(bot, link, rows, listed);
  return found.checked === 'checked' && compared === 'incomplete'
    ? { checked: 'deferred', isTroubled: true }
    : found;
}

/**
 * Compares listed remote subscriptions with one of our callback URLs with what was asked for; this is read after the list, since it is always
 * stored before the service is asked. What nothing is stored of is deleted. What was asked for and never answered is found here, or was
 * never made. `incomplete`: the service did not answer some deletions.
 */
export async function compareListed(
  bot: Bot,
  link: Link,
  listed: readonly Remote[],
  listedAt: Date,
): Promise<'complete' | 'incomplete' | 'link lost'> {
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
    const removed = await removeStale(bot, link, remote);
    if (removed === 'link lost') return removed;
    if (removed === 'unanswered') unanswered += 1;
    if (unanswered === mostUnanswered) break;
  }
  return unanswered === 0 ? 'complete' : 'incomplete';
}

/** Whether a listed remote subscription is the one that its token was made for, as far as that is known. */
function isAskedFor(row: FoundByToken | undefined, { id }: Remote): row is FoundByToken {
  return row !== undefined && row.deletedAt === null && (row.recordId === null || row.recordId === id);
}

/**
 * Notes what was asked for, never answered, and is not listed although its answer can't come any more: it was never made.
 * @param listed the remote subscriptions that were found in the service's list, and when it was asked for
 */
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

async function removeStale(
  bot: Bot,
  link: Link,
  { id }: Remote,
): Promise<'removed' | 'refused' | 'unanswered' | 'link lost'> {
  const { log, service } = bot;
  try {
    const called = await callService(bot, link.id, (token) => service.deleteSubscription(token, id));
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
  log.warn({ ...personFields(link), link: link.id, record: id }, 'removed a stale remote subscription');
  return 'removed';
}

async function checkRows(
  bot: Bot,
  link: Link,
  rows: readonly Subscription[],
  listed: readonly Remote[],
): Promise<LinkCheck> {
  const byId = new Map(listed.map((remote) => [remote.id, remote]));
  let away = 0;
  let isTroubled = false;
  for (const row of inTurn(rows.filter(({ state }) => state !== 'pending'))) {
    if (bot.later.isStopping() || away === mostAwayOfLink) return { checked: 'deferred', isTroubled: true };
    const { health, next } = await checkRow(bot, link, row, byId);
    isTroubled ||= health !== null && (health.failedChecks > 0 || health.oddChecks > 0);
    if (next === 'away') away += 1;
    else if (next !== 'continue') return { checked: next, isTroubled: true };
  }
  return { checked: away > 0 ? 'deferred' : 'checked', isTroubled: isTroubled || away > 0 };
}

/** A fault in one row must not keep the person's other rows from being checked. */
async function checkRow(bot: Bot, link: Link, row: Subscription, listed: ReadonlyMap<string, Remote>) {
  try {
    const checked = await checkSubscriptionOf(bot, link, row, listed);
    const { health } = checked;
    if (health) await subscriptions.noteHealth(bot.db, [{ id: row.id, health }]);
    return checked;
  } catch (error) {
    if (serviceFailure(error)) throw error;
    bot.log.warn({ err: error, link: link.id, ...subscriptionFields(row) }, 'could not check a subscription');
    return { health: null, next: 'continue' } as const;
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
    const checked = await Promise.all(claimed.map((one) => checkOne(bot, one)));
    if (checked.every((each) => each === 'away'))
      return log.warn({}, 'the service is unavailable: check ended');
    if (claimed.length < atOnce) return;
    await bot.inProcess.sleep(betweenMs);
  }
}

async function checkOne(bot: Bot, claimed: ClaimedCheck): Promise<Checked> {
  try {
    return await checkClaimed(bot, claimed);
  } catch (error) {
    bot.log.warn({ err: error, link: claimed.id }, 'could not check a link');
    return 'deferred';
  }
}
