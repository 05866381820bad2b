import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Channel, SlackPerson, Workspace } from '../core/model/people.ts';
import type { Database } from './schema.ts';

/** Rows that one statement changes, so that none holds its locks for long. */
const batch = 5_000;

/**
 * Removes what is stored about a channel or a person before its time. Rows of events stay until the retention is over, since they say that
 * a notification was accepted; names, paths and e-mails in them go. What still waits keeps them until it is settled.
 */
export function makeRemoveData({ db }: { readonly db: Kysely<Database> }) {
  async function forget(where: RawBuilder<boolean>): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        update plancast.events set notification = null, item_keys = null, told = null where seq in (
          select seq from plancast.events
          where state in ('posted', 'filtered') and notification is not null and ${where} limit ${batch})`.execute(
        db,
      );
      if (numAffectedRows < BigInt(batch)) return;
    }
  }

  const remove = (table: string, where: RawBuilder<boolean>) =>
    sql`delete from ${sql.table(`plancast.${table}`)} where ${where}`.execute(db);

  return {
    /** Details of events that a workspace has posted or filtered before `before`. */
    ofWorkspaceBefore: ({ teamId }: Pick<Workspace, 'teamId'>, before: Date): Promise<void> =>
      forget(sql<boolean>`team_id = ${teamId} and coalesce(posted_at, received_at) < ${before}`),

    /** Details of a channel's events, and the names and paths of its items. */
    async ofChannel({ teamId, channelId }: Channel): Promise<void> {
      const here = sql<boolean>`team_id = ${teamId} and channel_id = ${channelId}`;
      await forget(here);
      for (const table of ['items', 'exclusions', 'undo_offers', 'imports']) await remove(table, here);
      await sql`update plancast.lanes set card = null where ${here}`.execute(db);
    },

    /** Details of what a person did at the service, by their addresses in lower case, and what they asked for in Slack. */
    async ofPerson({ teamId, userId }: SlackPerson, emails: readonly string[]): Promise<void> {
      const theirs = [...emails];
      await forget(
        sql<boolean>`team_id = ${teamId} and lower(notification ->> 'actorEmail') = any(${theirs})`,
      );
      const here = sql`team_id = ${teamId}`;
      await remove('exclusions', sql<boolean>`${here} and kind = 'person' and key = any(${theirs})`);
      // What they follow in their direct message has no record at the service that would have to be removed first.
      await sql`
        update plancast.subscriptions set state = 'ended', reason = 'removed', ended_at = now(), changed_at = now()
        where team_id = ${teamId} and owner_user_id = ${userId} and fed_by is not null and state <> 'ended'`.execute(
        db,
      );
      await remove('imports', sql<boolean>`${here} and owner_user_id = ${userId}`);
      await remove('requests', sql<boolean>`${here} and created_by = ${userId}`);
      await remove('command_tries', sql<boolean>`${here} and user_id = ${userId}`);
      await remove('direct_messages', sql<boolean>`${here} and user_id = ${userId}`);
    },
  };
}

export type RemoveData = ReturnType<typeof makeRemoveData>;
