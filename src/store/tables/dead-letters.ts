import { type Kysely, type Selectable, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database, EventsTable } from '../schema.ts';

/** An event that Slack did not accept, whatever was tried. */
export type DeadLetter = Channel &
  Pick<
    Selectable<EventsTable>,
    'seq' | 'notificationId' | 'notification' | 'receivedAt' | 'subscriptionId'
  > & {
    /** Slack's error code. */
    readonly error: string;
  };

/** Dead letters that are pending again, by lane. */
type Replayed = { readonly lane: Channel; readonly seqs: readonly string[] };

/** The rows of the table `events` that are `dead`, for an admin to inspect and retry. */
export function makeDeadLetters({ db }: { readonly db: Kysely<Database> }) {
  const dead = () =>
    db
      .selectFrom('plancast.events')
      .select([
        'seq',
        'notificationId',
        'notification',
        sql<string>`coalesce(reason, 'unknown')`.as('error'),
        'receivedAt',
        'subscriptionId',
        'enterpriseId',
        'teamId',
        'channelId',
      ])
      .where('state', '=', 'dead');

  return {
    /** Lists the next dead letters after `after` (a `seq`; '0' for the first), oldest first, at most `limit`. */
    async list(after: string, limit: number): Promise<DeadLetter[]> {
      return dead().where('seq', '>', after).orderBy('seq').limit(limit).execute();
    },

    /** Returns the dead letter with that `seq`, or those of that notification, one for each of its subscriptions; empty if none is dead. */
    async find(id: string): Promise<DeadLetter[]> {
      // A number with more digits than a bigint is not a seq, and Postgres would refuse it.
      const bySeq = /^\d{1,18}$/.test(id) ? await dead().where('seq', '=', id).execute() : [];
      return bySeq.length > 0 ? bySeq : dead().where('notificationId', '=', id).orderBy('seq').execute();
    },

    /**
     * Marks those among `seqs` as pending that are still dead, have their details, and belong to a subscription that has not ended. The
     * caller wakes the lanes.
     */
    async replay(seqs: readonly string[], now: Date): Promise<Replayed[]> {
      const { rows } = await sql<{ lane: Channel; seqs: string[] }>`
        with replayed as (
          update plancast.events e set state = 'pending', reason = null, replayed_at = ${now}
          from plancast.subscriptions s
          where e.seq = any(${[...seqs]}::bigint[]) and e.state = 'dead' and e.notification is not null
            and s.id = e.subscription_id and s.state <> 'ended'
          returning e.seq, e.enterprise_id, e.team_id, e.channel_id
        )
        select jsonb_build_object('enterpriseId', max(enterprise_id), 'teamId', team_id, 'channelId', channel_id) as lane,
          array_agg(seq::text order by seq) as seqs
        from replayed group by team_id, channel_id`.execute(db);
      return rows;
    },
  };
}

export type DeadLetters = ReturnType<typeof makeDeadLetters>;

type ShimDeadLetters = ReturnType<typeof makeDeadLetters>;
/** For core, which is handed the database. */
export const list = (db: Kysely<Database>, ...rest: Parameters<ShimDeadLetters['list']>) =>
  makeDeadLetters({ db }).list(...rest);
/** For core, which is handed the database. */
export const find = (db: Kysely<Database>, ...rest: Parameters<ShimDeadLetters['find']>) =>
  makeDeadLetters({ db }).find(...rest);
/** For core, which is handed the database. */
export const replay = (db: Kysely<Database>, ...rest: Parameters<ShimDeadLetters['replay']>) =>
  makeDeadLetters({ db }).replay(...rest);
