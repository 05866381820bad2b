import type { Link } from '../../core/model/link.ts';
import { gridId, type Workspace } from '../../core/model/people.ts';
import { earlier, minuteMs } from '../../lib/durations.ts';
import { all, cell, column, count, type Db, first, run, sql } from '../sql.ts';
import { hold } from './links.ts';
import type { Subscription } from './subscription-row.ts';

// The table `remotes`: a row for each remote subscription that the bot has asked the service for, stored before it asks. A subscription has
// the one that fits it, and for a while others that are to be deleted. A row stays, so that its token is answered with 410.

/** A remote subscription that was asked for. While none of its other times is set, the service is being asked. */
export type StoredRemote = {
  readonly id: string;
  readonly subscriptionId: string;
  /** Null once the link is gone: then nothing can be deleted with it. */
  readonly linkId: string | null;
  readonly callbackBase: string;
  /** The scope of the subscription when it was asked for. */
  readonly comprehensive: boolean;
  /** The service's id, decimal; null until its answer is stored. */
  readonly serviceId: string | null;
  readonly askedAt: Date;
  readonly madeAt: Date | null;
  /** Since when it is not certain that it stands: its answer was given up, or the service does not know its id. Another one is made. */
  readonly lostAt: Date | null;
  /** When the service is next asked to delete it; null: at once. */
  readonly retryAt: Date | null;
};

/** What has to be asked for. */
type AskedRemote = Pick<StoredRemote, 'callbackBase' | 'comprehensive'> & {
  readonly linkId: string;
  readonly tokenHash: Buffer;
  /** Gives up a request that is under way; its answer may still come. */
  readonly overtakes?: boolean | undefined;
  /** What stands is not trusted any more. */
  readonly anew?: boolean | undefined;
};

/** The subscription of a callback token, and the remote one that the token was made for. Once the token is not taken any more, it has ended. */
export type FoundByToken = Pick<
  Subscription,
  'id' | 'enterpriseId' | 'teamId' | 'channelId' | 'ownerUserId' | 'state' | 'endedAt'
> & {
  readonly remoteId: string;
  /** Null if it is not known. */
  readonly recordId: string | null;
  readonly sealedKey: string | null;
  /** The column of `subscriptions` that an earlier release sealed the Key for. */
  readonly keyColumn: 'sealed_key' | 'previous_sealed_key' | null;
  readonly lostAt: Date | null;
  readonly deletedAt: Date | null;
};

/** How many minutes notifications of a replaced remote subscription are accepted after its removal. */
const replacedTakenMinutes = 10;
export const replacedTakenMs = replacedTakenMinutes * minuteMs;

/** How long the answer to a create request can take, in milliseconds: a call for a token and two for the record, 10 s each, and some time. */
export const askingMs = 45_000;

/**
 * SQL: since when the token of a remote subscription `r` of a subscription `s` is not taken any more; null while it is. That of one that was
 * replaced is taken for a while after its removal.
 */
export const tokenEnded = `case when s.state = 'ended' then s.ended_at
  else r.deleted_at + interval '${replacedTakenMinutes} minutes' end`;

const columns = sql`r.id, r.subscription_id, r.link_id, r.callback_base, r.comprehensive, r.service_id, r.asked_at, r.made_at,
  r.lost_at, r.retry_at`;

/** Returns what callback tokens were made for, by the hash (hexadecimal) of the token. */
export async function byTokens(
  db: Db,
  hashes: readonly Buffer[],
  now: Date,
): Promise<Map<string, FoundByToken>> {
  const rows = await all(db)<FoundByToken & { hash: string }>`
    select encode(r.token_hash, 'hex') as hash, s.id, s.enterprise_id, s.team_id, s.channel_id, s.owner_user_id,
      case when e.at <= ${now} then 'ended' else s.state end as state, e.at as ended_at, r.id as remote_id,
      r.service_id as record_id, r.sealed_key, r.key_column, r.lost_at, r.deleted_at
    from plancast.remotes r
    join plancast.subscriptions s on s.id = r.subscription_id
    cross join lateral (select ${sql.raw(tokenEnded)} as at) e
    where r.token_hash = any(${hashes})`;
  return new Map(rows.map(({ hash, ...found }) => [hash, found]));
}

/** Lists what may stand at the service for a subscription, oldest first. */
export const ofSubscription = (db: Db, subscriptionId: string): Promise<StoredRemote[]> =>
  all(db)`
    select ${columns} from plancast.remotes r
    where subscription_id = ${subscriptionId} and deleted_at is null order by asked_at, id`;

/** Lists what may stand at the service in the account of a link. */
export const ofLink = (db: Db, linkId: string): Promise<StoredRemote[]> =>
  all(db)`
    select ${columns} from plancast.remotes r where link_id = ${linkId} and deleted_at is null order by asked_at, id`;

/** Lists what may stand at the service for a workspace's subscriptions. */
export const ofWorkspace = (db: Db, teamId: string): Promise<StoredRemote[]> =>
  all(db)`select ${columns} from plancast.remotes r where team_id = ${teamId} and deleted_at is null`;

/**
 * Stores that the service is about to be asked, unless it is being asked already for this subscription, what is wanted stands there, the
 * subscription has changed since it was read, or its link was given up.
 * @returns its id; null if it was not stored
 */
export const ask = (
  db: Db,
  before: Pick<Subscription, 'id' | 'state' | 'reason'>,
  wanted: AskedRemote,
  now: Date,
): Promise<string | null> =>
  db.transaction().execute(async (trx) => {
    const { linkId, tokenHash, callbackBase, comprehensive, overtakes = false, anew = false } = wanted;
    const row = await first(trx)<{ teamId: string }>`
      select team_id from plancast.subscriptions
      where id = ${before.id} and state = ${before.state} and state <> 'ended' and reason is not distinct from ${before.reason}
      for update`;
    // Whoever unlinks deletes what was asked for by then, and nothing more may be asked for.
    if (row === null || !(await hold(trx, linkId))) return null;
    await run(trx)`
      update plancast.remotes set lost_at = ${now}
      where subscription_id = ${before.id} and lost_at is null and deleted_at is null
        and (${overtakes} and made_at is null or ${anew} and made_at is not null)`;
    return cell(trx)`
      insert into plancast.remotes (subscription_id, team_id, link_id, token_hash, callback_base, comprehensive, asked_at)
      select ${before.id}, ${row.teamId}, ${linkId}, ${tokenHash}, ${callbackBase}, ${comprehensive}, ${now}
      where not exists (select from plancast.remotes r where r.subscription_id = ${before.id} and r.deleted_at is null
        and r.made_at is not null and r.lost_at is null and r.link_id = ${linkId} and r.callback_base = ${callbackBase}
        and r.comprehensive = ${comprehensive})
      on conflict do nothing returning id`;
  });

/** Stores the service's answer. Returns whether it was waited for: the request may have been given up, and another one made. */
export async function made(
  db: Db,
  id: string,
  answer: { readonly serviceId: string; readonly sealedKey: string | null; readonly comprehensive: boolean },
  now: Date,
): Promise<boolean> {
  const row = await first(db)<Pick<StoredRemote, 'lostAt'>>`
    update plancast.remotes set service_id = ${answer.serviceId}, sealed_key = ${answer.sealedKey},
      comprehensive = ${answer.comprehensive}, made_at = ${now}, deleted_at = null
    where id = ${id} returning lost_at`;
  return row?.lostAt === null;
}

/**
 * Stores that it is not certain whether one stands at the service, because its answer was given up or the service does not know its id: another
 * can be asked for, and a check of the link finds what was made.
 */
export const lost = (db: Db, id: string, now: Date): Promise<void> =>
  run(db)`
    update plancast.remotes set lost_at = ${now}
    where id = ${id} and lost_at is null and deleted_at is null`;

/** Stores the id of one whose answer was given up, and which the service lists. It has no Key, so it is only kept until another is made. */
export const found = (db: Db, id: string, serviceId: string, now: Date): Promise<void> =>
  run(db)`
    update plancast.remotes set service_id = ${serviceId}, made_at = ${now}
    where id = ${id} and made_at is null and deleted_at is null`;

/** Gives up requests whose process ended before their answer. */
export const loseInterrupted = (db: Db, now: Date): Promise<void> =>
  run(db)`
    update plancast.remotes set lost_at = ${now}
    where made_at is null and lost_at is null and deleted_at is null and asked_at < ${earlier(now, askingMs)}`;

/** Stores that the service does not have these, or not any more. */
export const deleted = (db: Db, ids: readonly string[], now: Date): Promise<void> =>
  run(
    db,
  )`update plancast.remotes set deleted_at = ${now} where id = any(${ids}::uuid[]) and deleted_at is null`;

/** Stores when the service is next asked to delete one. */
export const retryAt = (db: Db, id: string, at: Date): Promise<void> =>
  run(db)`update plancast.remotes set retry_at = ${at} where id = ${id}`;

/** Marks everything of a link as out of reach, since the link is removed. Returns what was still at the service, as far as is known. */
export const abandon = (db: Db, linkId: string, now: Date): Promise<StoredRemote[]> =>
  all(db)`
    update plancast.remotes r set deleted_at = ${now} where link_id = ${linkId} and deleted_at is null returning ${columns}`;

/**
 * Lists, at most `limit` and in random order, subscriptions that may have more at the service than they should, with the links to delete it
 * with: those that have ended, and those with another one besides. Links that are of no use, or that the service has asked to leave alone,
 * wait.
 */
export const withUnwanted = (
  db: Db,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<{ readonly subscriptionId: string; readonly linkId: string | null }[]> =>
  all(db)`
    select r.subscription_id, r.link_id from (
      select subscription_id as id from plancast.remotes where made_at is not null and deleted_at is null
      group by subscription_id having count(*) > 1
      union
      select r.subscription_id from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id
      where s.state = 'ended' and r.made_at is not null and r.deleted_at is null) as unwanted
    join plancast.remotes r on r.subscription_id = unwanted.id and r.made_at is not null and r.deleted_at is null
    left join plancast.links l on l.id = r.link_id
    where coalesce(r.retry_at <= ${now}, true)
      and (l.id is null or l.state <> 'relink' and coalesce(l.rests_until <= ${now}, true))
    order by random() limit ${limit}`;

/** Counts the remote subscriptions that are not as they should be, for the metrics. */
export const countUnsettled = (db: Db): Promise<number> =>
  count(db)`
    select ((select count(*) from plancast.remotes where made_at is null and deleted_at is null)
      + (select count(*) from plancast.subscriptions s join plancast.remotes r on r.subscription_id = s.id
        where s.state = 'ended' and r.made_at is not null and r.deleted_at is null))::int`;

/** Returns another workspace of the organization that needs the person's link, for what is live or to be deleted; else null. */
export const otherWorkspaceOf = (db: Db, owner: Link): Promise<Workspace | null> =>
  first(db)`
    select s.enterprise_id, s.team_id from plancast.subscriptions s
    where coalesce(s.enterprise_id, s.team_id) = ${gridId(owner)} and s.owner_user_id = ${owner.userId} and s.team_id <> ${owner.teamId}
      and (s.state <> 'ended'
        or exists (select from plancast.remotes r where r.subscription_id = s.id and r.deleted_at is null))
    order by s.state = 'ended' limit 1`;

/** Lists the links with a request whose answer was given up, and may have been made all the same. */
export const linksToSearch = (db: Db, now: Date): Promise<string[]> =>
  column(db)`
    select distinct l.id from plancast.remotes r
    join plancast.links l on l.id = r.link_id
    where r.deleted_at is null and r.lost_at is not null and r.made_at is null and l.state <> 'relink' and l.given_up_at is null
      and coalesce(l.rests_until <= ${now}, true)`;
