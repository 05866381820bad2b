import { type Grant, type Link, type LinkTokens, sameAccount } from '../../core/model/link.ts';
import { gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import { earlier, hourMs, later, minuteMs } from '../../lib/durations.ts';
import { isLockTimeout, waitLongerForLocks } from '../locks.ts';
import { all, cell, type Db, exists, first, run, sql, wrote } from '../sql.ts';
import {
  open,
  openTokens,
  type SealedTokens,
  setTokens,
  type TokenSealing,
  tokenColumns,
} from './sealed-tokens.ts';

// The table `links`: one row per person, with the tokens sealed.

type OpenedLink = { readonly link: Link; readonly tokens: LinkTokens };
type Refreshed = { readonly tokens: LinkTokens; readonly now: Date };

const columns = sql`id, enterprise_id, team_id, user_id, account, state, linked_at, refreshed_at`;

/** Returns the person's link, or null. */
export const of = (db: Db, person: SlackPerson): Promise<Link | null> =>
  first(db)`
    select ${columns} from plancast.links
    where grid_id = ${gridId(person)} and user_id = ${person.userId} and given_up_at is null`;

/** Returns a link by its id, or null. */
export const byId = (db: Db, id: string): Promise<Link | null> =>
  first(db)`select ${columns} from plancast.links where id = ${id}`;

/** Returns a link with its current tokens, without a lock; null if it is gone. */
export async function withTokens(db: Db, sealing: TokenSealing, id: string): Promise<OpenedLink | null> {
  const row = await first(db)<
    Link & SealedTokens
  >`select ${columns}, ${tokenColumns} from plancast.links where id = ${id}`;
  return row && opened(sealing, row);
}

/** Locks a link's row until the transaction ends, and returns it; null if it is gone. */
const locked = (trx: Db, id: string): Promise<(Link & SealedTokens) | null> =>
  first(trx)`select ${columns}, ${tokenColumns} from plancast.links where id = ${id} for update`;

async function opened(sealing: TokenSealing, row: Link & SealedTokens): Promise<OpenedLink> {
  const { sealedAccessToken, accessExpiresAt, sealedRefreshToken, refreshExpiresAt, ...link } = row;
  return { link, tokens: await openTokens(sealing, placeOf(link.id), row) };
}

const placeOf = (id: string) => ({ table: 'links', row: id }) as const;

/**
 * Creates the person's link, or puts this account and its tokens into an existing one if `replaces` allows that for the existing account. An
 * existing link to another account with which something stands at the service is given up instead. Takes several statements, so it has to be in
 * a transaction.
 * @returns the new link and the previous one, if any; or the link that is in the way
 */
export async function write(
  db: Db,
  sealing: TokenSealing,
  {
    person,
    grant,
    now,
    replaces,
  }: {
    readonly person: SlackPerson;
    readonly grant: Grant;
    readonly now: Date;
    readonly replaces: (account: string | null) => boolean;
  },
): Promise<
  | { readonly written: true; readonly link: Link; readonly before: Link | null }
  | { readonly written: false; readonly other: Link }
> {
  const { enterpriseId, teamId, userId } = person;
  const addRow = () =>
    cell(db)<string>`
      insert into plancast.links (enterprise_id, team_id, grid_id, user_id, state, linked_at, refreshed_at, check_at)
      values (${enterpriseId}, ${teamId}, ${gridId(person)}, ${userId}, 'active', ${now}, ${now}, ${later(now, hourMs)})
      on conflict (grid_id, user_id) where given_up_at is null do nothing returning id`;
  // Creates a row to lock if there is none.
  const isNew = (await addRow()) !== null;
  const before = await first(db)<Link>`
    select ${columns} from plancast.links
    where grid_id = ${gridId(person)} and user_id = ${userId} and given_up_at is null for update`;
  if (before === null) throw new Error('a link was removed while it was written');
  if (!isNew && !replaces(before.account)) return { written: false, other: before };
  let { id } = before;
  if (!isNew && !sameAccount(before.account, grant.account) && (await hasMade(db, id))) {
    // Only with its tokens can be deleted what was made with the other account.
    await giveUp(db, id, now);
    id = (await addRow()) ?? id;
  }
  const link = await first(db)<Link>`
    update plancast.links set ${await setTokens(sealing, placeOf(id), grant)},
      enterprise_id = ${enterpriseId}, team_id = ${teamId}, account = ${grant.account},
      state = 'active', relink_asked_at = null, frozen_at = null, linked_at = ${now}, refreshed_at = ${now}
    where id = ${id} returning ${columns}`;
  return { written: true, link: link ?? before, before: isNew ? null : before };
}

/**
 * Runs `work` while this link's row is locked against all other processes, in the transaction that holds the lock, so it ends with the
 * connection of a process that dies. If `work` throws, nothing is changed and the error is rethrown.
 * @returns the result of `work`; `gone` if there is no such link, `busy` if others held it the whole time
 */
export async function inLock<T>(
  db: Db,
  sealing: TokenSealing,
  id: string,
  work: (trx: Db, held: OpenedLink) => Promise<T>,
): Promise<T | 'gone' | 'busy'> {
  let isLocked = false;
  try {
    return await db.transaction().execute(async (trx) => {
      await waitLongerForLocks(trx);
      const row = await locked(trx, id);
      isLocked = true;
      return row === null ? 'gone' : work(trx, await opened(sealing, row));
    });
  } catch (error) {
    if (!isLocked && isLockTimeout(error)) return 'busy';
    throw error;
  }
}

/** Stores refreshed tokens. Call it under the row's lock. */
export async function saveTokens(
  db: Db,
  sealing: TokenSealing,
  id: string,
  { tokens, now }: Refreshed,
): Promise<void> {
  const assignments = await setTokens(sealing, placeOf(id), tokens);
  await run(db)`update plancast.links set ${assignments}, refreshed_at = ${now} where id = ${id}`;
}

/** Marks that the person has to link again, once they are back if the link is frozen, and deletes the tokens. Call it under the row's lock. */
export const markRelink = (db: Db, id: string): Promise<void> =>
  run(db)`
    update plancast.links set state = case when state = 'frozen' then state else 'relink' end, relink_asked_at = null, sealed_access_token = null,
      access_expires_at = null, sealed_refresh_token = null, refresh_expires_at = null
    where id = ${id}`;

/** Stores the tokens that `spent` was exchanged for, if the link still has `spent`: a later change wins. Returns whether it did. */
export const replaceSpent = (
  db: Db,
  sealing: TokenSealing,
  id: string,
  spent: string,
  refreshed: Refreshed,
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const row = await locked(trx, id);
    if (row === null) return false;
    if ((await open(sealing, placeOf(id), 'sealed_refresh_token', row.sealedRefreshToken)) !== spent)
      return false;
    await saveTokens(trx, sealing, id, refreshed);
    return true;
  });

/** Claims the request to link again, so that the person is asked once; returns false if it is already claimed. */
export const claimRelinkAsk = (db: Db, id: string, now: Date): Promise<boolean> =>
  wrote(db)`
    update plancast.links set relink_asked_at = ${now}
    where id = ${id} and state = 'relink' and relink_asked_at is null and given_up_at is null`;

/** Stores until when the service has asked to leave a link alone (`Retry-After`). Chores obey; what a person asks for is tried anyway. */
export const rest = (db: Db, id: string, until: Date): Promise<void> =>
  run(db)`update plancast.links set rests_until = ${until} where id = ${id}`;

/** Returns whether the service has asked to leave a link alone, and the time is not over. */
export const isResting = (db: Db, id: string, now: Date): Promise<boolean> =>
  exists(db)`select from plancast.links where id = ${id} and rests_until > ${now}`;

/** Makes a link due to be checked. One that is being checked is checked again afterwards. */
export const checkSoon = (db: Db, id: string, now: Date): Promise<void> =>
  run(db)`update plancast.links set check_at = ${now} where id = ${id}`;

/** Makes those links due whose remote subscriptions notify another address than this one. Returns whether there are any. */
export const checkElsewhere = (db: Db, callbackBase: string, now: Date): Promise<boolean> =>
  wrote(db)`
    update plancast.links set check_at = ${now} where id in (
      select link_id from plancast.remotes where deleted_at is null and made_at is not null and callback_base <> ${callbackBase})`;

/** A check of a link that no other process makes meanwhile. */
export type ClaimedCheck = {
  readonly id: string;
  /** As Postgres writes it: a `Date` would lose its microseconds. */
  readonly checkAt: string;
};

/** `which`: a condition, and the order. */
const claim = (db: Db, which: ReturnType<typeof sql>, { now, until }: { now: Date; until: Date }) =>
  all(db)<ClaimedCheck>`
    update plancast.links set checking_until = ${until} where id in (
      select id from plancast.links where coalesce(checking_until <= ${now}, true) and ${which}
      for update skip locked) returning id, check_at::text as check_at`;

/** Claims up to `most` links that are due to be checked and need not be left alone, those where something was wrong first. */
export const claimDue = (db: Db, most: number, times: { now: Date; until: Date }): Promise<ClaimedCheck[]> =>
  claim(
    db,
    sql`check_at <= ${times.now} and given_up_at is null and coalesce(rests_until <= ${times.now}, true)
      order by is_troubled desc, check_at limit ${most}`,
    times,
  );

/** Claims the check of one link; null if there is no such link, or another process checks it. */
export async function claimCheck(
  db: Db,
  id: string,
  times: { now: Date; until: Date },
): Promise<ClaimedCheck | null> {
  return (await claim(db, sql`id = ${id}`, times))[0] ?? null;
}

/** Ends a check, and stores when the next one is due, unless one became due meanwhile. */
export const finishCheck = (
  db: Db,
  { id, checkAt }: ClaimedCheck,
  { next, isTroubled }: { readonly next: Date; readonly isTroubled: boolean },
): Promise<void> =>
  run(db)`
    update plancast.links set checking_until = null, is_troubled = ${isTroubled},
      check_at = case when check_at = ${checkAt}::timestamptz then ${next} else check_at end
    where id = ${id}`;

/** Returns since when the longest overdue check has been due; null if none is. */
export const uncheckedSince = (db: Db, now: Date): Promise<Date | null> =>
  cell(db)`
    select min(due.check_at) from (values (true), (false)) as kind (is_troubled)
    cross join lateral (select check_at from plancast.links l where l.is_troubled = kind.is_troubled and check_at <= ${now}
      and coalesce(rests_until <= ${now}, true) order by check_at limit 1) due`;

/**
 * Returns whether Slack may be asked now who a link's person is: once since `before`, and `most` people of a workspace a minute, of the
 * about 100 that Slack allows (`users.info`); commands need some of these.
 */
export const mayAskStanding = (
  db: Db,
  { id, teamId }: Pick<Link, 'id' | 'teamId'>,
  { now, before, most }: { readonly now: Date; readonly before: Date; readonly most: number },
): Promise<boolean> =>
  wrote(db)`
    update plancast.links set standing_at = ${now}
    where id = ${id} and coalesce(standing_at <= ${before}, true)
      and (select count(*) from plancast.links where team_id = ${teamId} and standing_at > ${earlier(now, minuteMs)}) < ${most}`;

/** Freezes a link whose person left: until it is unfrozen or the person links again, its tokens only delete what nobody needs any more. */
export const freeze = (db: Db, id: string, now: Date): Promise<void> =>
  run(db)`
    update plancast.links set state = 'frozen', frozen_at = ${now} where id = ${id} and state <> 'frozen'`;

/** Unfreezes the link, which is as it was before: one without tokens needs its person to link again. Returns false if it was not frozen. */
export const thaw = (db: Db, id: string): Promise<boolean> =>
  wrote(db)`
    update plancast.links set frozen_at = null,
      state = case when sealed_access_token is null then 'relink' else 'active' end
    where id = ${id} and state = 'frozen'`;

/** Lists links that were frozen before `before`. */
export const frozenBefore = (db: Db, before: Date): Promise<Link[]> =>
  all(db)`select ${columns} from plancast.links where state = 'frozen' and frozen_at < ${before}`;

/** Lists all links that were created in a workspace. */
export const ofWorkspace = (db: Db, { teamId }: Workspace): Promise<Link[]> =>
  all(db)`select ${columns} from plancast.links where team_id = ${teamId}`;

/** Moves a link to another workspace of the same organization. */
export const moveTo = (db: Db, id: string, { teamId }: Workspace): Promise<void> =>
  run(db)`update plancast.links set team_id = ${teamId} where id = ${id}`;

/** Gives a link up: from now on, its tokens only delete what was made with it. Returns false if it was given up already. */
export const giveUp = (db: Db, id: string, now: Date): Promise<boolean> =>
  wrote(db)`update plancast.links set given_up_at = ${now} where id = ${id} and given_up_at is null`;

/** Whether something may stand at the service that was made with a link. */
export const hasMade = (db: Db, id: string): Promise<boolean> =>
  exists(db)`select from plancast.remotes where link_id = ${id} and deleted_at is null`;

/** Keeps a link from being given up until the transaction ends. Returns false if it was given up, or is gone. */
export const hold = (db: Db, id: string): Promise<boolean> =>
  exists(db)`select from plancast.links where id = ${id} and given_up_at is null for share`;

/** Lists links that were given up and are not removed yet. */
export const givenUp = (db: Db): Promise<(Link & { readonly givenUpAt: Date })[]> =>
  all(
    db,
  )`select ${columns}, given_up_at from plancast.links where given_up_at is not null order by given_up_at`;

/** Removes a link with its tokens; returns false if there was none. */
export const remove = (db: Db, id: string): Promise<boolean> =>
  wrote(db)`delete from plancast.links where id = ${id}`;
