import { dayMs, earlier } from '../../lib/durations.ts';
import { type Db, sql } from '../sql.ts';
import { isExcepted, numberingLock } from './accept-events.ts';
import { listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

// Rows of `subscriptions` in direct messages that an earlier release fed with the events of a channel's subscription (`fed_by`), without a
// remote subscription. They become subscriptions of the person's own. This file can go one release later.

/** Lists live rows that another one fed, at most `limit`, in random order: one that cannot be changed must not keep the others waiting. */
export const fed = (db: Db, limit: number): Promise<Subscription[]> =>
  listOf(db)`
    select ${subscriptionColumns} from plancast.subscriptions s
    where fed_by is not null and state <> 'ended' order by random() limit ${limit}`;

/**
 * Makes a row the person's own, in the transaction that stores its remote subscription. What its source got in the last 24 hours and nobody
 * passed on any more is stored for it too. What the earlier release passed on, or the new remote subscription sends as well, is not posted
 * twice: it has the same id or fingerprint.
 */
export async function becomeOwn(db: Db, id: string, now: Date): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(numberingLock)})`.execute(db);
  await sql`
    insert into plancast.events (notification_id, subscription_id, service_subscription_id, enterprise_id, team_id, channel_id,
      state, reason, fingerprint, item_keys, notification, received_at)
    select e.notification_id, f.id, e.service_subscription_id, f.enterprise_id, f.team_id, f.channel_id,
      'pending', case when not (${sql.raw(isExcepted('e', 'f'))}) then f.held end, e.fingerprint, e.item_keys, e.notification, e.received_at
    from (
      select *, case when state = 'paused' then 'paused' when delivery ->> 'when' <> 'live' then 'digest' end as held
      from plancast.subscriptions where id = ${id}) f
    join plancast.events e on e.subscription_id = f.fed_by
    where e.received_at >= greatest(f.created_at, ${earlier(now, dayMs)}::timestamptz) and e.notification is not null
      and f.item_id = any(string_to_array(e.notification ->> 'idPath', '/') || (e.notification ->> 'itemId'))
    order by e.seq
    on conflict (subscription_id, notification_id) do nothing`.execute(db);
  await forgetSource(db, id);
}

/** Makes a row the person's own, without a remote subscription so far. */
export async function forgetSource(db: Db, id: string): Promise<void> {
  await sql`update plancast.subscriptions set fed_by = null where id = ${id}`.execute(db);
}
