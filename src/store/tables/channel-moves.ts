import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';
import { numberingLock } from './accept-events.ts';

/** Moves a channel's rows to another id: Slack changes the id of a channel that is shared with another organization. */
export function makeChannelMoves({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Moves everything in one transaction. Rows that exist under the new id stay. */
    async move({ teamId, channelId }: Channel, to: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await sql`
          update plancast.subscriptions s set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId}
            and (state = 'ended' or not exists (
              select from plancast.subscriptions o
              where o.team_id = s.team_id and o.channel_id = ${to} and o.state <> 'ended' and o.kind = s.kind
                and o.parent_id = s.parent_id and o.item_id is not distinct from s.item_id))`.execute(trx);
        await sql`
          update plancast.items i set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId}
            and not exists (
              select from plancast.items o
              where o.team_id = i.team_id and o.channel_id = ${to} and o.item_key = i.item_key)`.execute(trx);
        await sql`
          update plancast.lanes l set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId}
            and not exists (
              select from plancast.lanes o where o.team_id = l.team_id and o.channel_id = ${to})`.execute(
          trx,
        );
        await sql`
          update plancast.announcements a set channel_id = ${to}, subject = case when not exists (
            select from plancast.announcements o
            where o.team_id = a.team_id and o.channel_id = ${to} and o.subject = a.subject) then subject end
          where team_id = ${teamId} and channel_id = ${channelId}`.execute(trx);
        // An event may have named the new id already; the rows of the old id are the same channel's past.
        await sql`
          update plancast.channels c set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId}
            and not exists (
              select from plancast.channels o where o.team_id = c.team_id and o.channel_id = ${to})`.execute(
          trx,
        );
        await sql`
          update plancast.exclusions x set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId}
            and not exists (
              select from plancast.exclusions o
              where o.team_id = x.team_id and o.channel_id = ${to} and o.kind = x.kind and o.key = x.key)`.execute(
          trx,
        );
        for (const table of ['events', 'link_attempts', 'requests', 'undo_offers']) {
          await sql`
            update ${sql.table(`plancast.${table}`)} set channel_id = ${to}
            where team_id = ${teamId} and channel_id = ${channelId}`.execute(trx);
        }
      });
      // Events may just be added under the old id: this waits for them and moves them too.
      await db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(${numberingLock})`.execute(trx);
        await sql`
          update plancast.events set channel_id = ${to}
          where team_id = ${teamId} and channel_id = ${channelId} and state = 'pending'`.execute(trx);
      });
    },
  };
}

export type ChannelMoves = ReturnType<typeof makeChannelMoves>;
