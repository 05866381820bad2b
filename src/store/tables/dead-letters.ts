import type { Notification } from '../../core/model/notification.ts';
import type { Channel } from '../../core/model/people.ts';
import { all, type Db, sql } from '../sql.ts';

// The rows of the table `events` that are `dead`, for an admin to inspect and retry.

/** An event that Slack did not accept, whatever was tried. */
export type DeadLetter = Channel & {
  readonly seq: string;
  readonly notificationId: string;
  /** Null once its details were deleted. */
  readonly notification: Notification | null;
  /** Slack's error code. */
  readonly error: string;
  readonly receivedAt: Date;
  readonly subscriptionId: string;
};

/** Dead letters that are pending again, by lane. */
type Replayed = { readonly lane: Channel; readonly seqs: readonly string[] };

const dead = sql`
  select seq, notification_id, notification, coalesce(reason, 'unknown') as error, received_at, subscription_id,
    enterprise_id, team_id, channel_id
  from plancast.events where state = 'dead'`;

/** Lists the next dead letters after `after` (a `seq`; '0' for the first), oldest first, at most `limit`. */
export const list = (db: Db, after: string, limit: number): Promise<DeadLetter[]> =>
  all(db)`${dead} and seq > ${after} order by seq limit ${limit}`;

/** Returns the dead letter with that `seq`, or those of that notification, one for each of its subscriptions; empty if none is dead. */
export async function find(db: Db, id: string): Promise<DeadLetter[]> {
  // A number with more digits than a bigint is not a seq, and Postgres would refuse it.
  const bySeq = /^\d{1,18}$/.test(id) ? await all(db)<DeadLetter>`${dead} and seq = ${id}` : [];
  return bySeq.length > 0 ? bySeq : all(db)`${dead} and notification_id = ${id} order by seq`;
}

/** Makes those pending again that are still dead, have their details and a live subscription. The caller wakes the lanes. */
export const replay = (db: Db, seqs: readonly string[], now: Date): Promise<Replayed[]> =>
  all(db)`
    with replayed as (
      update plancast.events e set state = 'pending', reason = null, replayed_at = ${now}
      from plancast.subscriptions s
      where e.seq = any(${seqs}::bigint[]) and e.state = 'dead' and e.notification is not null
        and s.id = e.subscription_id and s.state <> 'ended'
      returning e.seq, e.enterprise_id, e.team_id, e.channel_id
    )
    select jsonb_build_object('enterpriseId', max(enterprise_id), 'teamId', team_id, 'channelId', channel_id) as lane,
      array_agg(seq::text order by seq) as seqs
    from replayed group by team_id, channel_id`;
