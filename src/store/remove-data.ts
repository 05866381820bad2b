import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Channel, SlackPerson, Workspace } from '../core/model/people.ts';
import { noFilters } from '../core/model/typed-settings.ts';
import { inChannel } from './in-channel.ts';
import type { Database } from './schema.ts';
import { sealedKeyPrefix } from './tables/keyv-records.ts';

/** Maximum rows that one statement changes, so that none holds its locks for long. */
const batch = 5_000;

/**
 * Removes what is stored about a channel or a person before the retention is over. Rows of events stay until then, since they record that a
 * notification was accepted; names, paths and email addresses in them are removed. Pending events keep them until they are settled.
 */
export function makeRemoveData({ db }: { readonly db: Kysely<Database> }) {
  async function forget(states: readonly string[], where: RawBuilder<boolean>): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        update plancast.events set notification = null, item_keys = null, told = null where seq in (
          select seq from plancast.events
          where state = any(${[...states]}::text[]) and notification is not null and ${where} limit ${batch})
      `.execute(db);
      if (numAffectedRows < BigInt(batch)) return;
    }
  }

  const remove = (table: string, where: RawBuilder<boolean>) =>
    sql`delete from ${sql.table(`plancast.${table}`)} where ${where}`.execute(db);

  async function ofChannel(channel: Pick<Channel, 'teamId' | 'channelId'>): Promise<void> {
    const here = inChannel(channel);
    await forget(settled, here);
    for (const table of ['items', 'exclusions', 'undo_offers', 'imports']) await remove(table, here);
    await forgetSettings(here);
    await sql`update plancast.lanes set card = null where ${here}`.execute(db);
  }

  /** Removes filters and names of ended subscriptions. Their ids stay, to answer late notifications. */
  async function forgetSettings(where: RawBuilder<boolean>): Promise<void> {
    await sql`
      update plancast.subscriptions set filters = ${JSON.stringify(noFilters)}::jsonb, resource_name = null, typed_name = null, undo = null
      where ${where} and state = 'ended'`.execute(db);
  }

  return {
    /**
     * Removes details of events that a workspace posted or filtered before `before`. Dead letters keep theirs, since an admin may still
     * replay them.
     */
    ofWorkspaceBefore: ({ teamId }: Pick<Workspace, 'teamId'>, before: Date): Promise<void> =>
      forget(
        ['posted', 'filtered'],
        sql<boolean>`team_id = ${teamId} and coalesce(posted_at, received_at) < ${before}`,
      ),

    /** Removes details of a channel's events, the names and paths of its items, and the filters of the subscriptions that it had. */
    ofChannel,

    /**
     * Removes details of what a person did at the service (found by their addresses in lower case), what they asked for in Slack, what was
     * posted in their direct message, and what is cached of their profile.
     */
    async ofPerson({ teamId, userId }: SlackPerson, emails: readonly string[]): Promise<void> {
      const addresses = [...emails];
      const here = sql`team_id = ${teamId}`;
      const own = sql<boolean>`${here} and owner_user_id = ${userId}`;
      // Items followed in a direct message have no remote subscription that would have to be removed first.
      await sql`
        with ended as (
          update plancast.subscriptions set state = 'ended', reason = 'removed', ended_at = now(), changed_at = now()
          where ${own} and fed_by is not null and state <> 'ended' returning id
        )
        update plancast.events set state = 'filtered', reason = 'ended'
        where subscription_id in (select id from ended) and state = 'pending'`.execute(db);
      const { rows } = await sql<{ channelId: string }>`
        select channel_id from plancast.direct_messages where ${here} and user_id = ${userId}`.execute(db);
      for (const { channelId } of rows) await ofChannel({ teamId, channelId });
      await forget(
        settled,
        sql<boolean>`${here} and lower(notification ->> 'actorEmail') = any(${addresses})`,
      );
      await forgetSettings(own);
      await sql`update plancast.items set owner_user_id = null where ${own}`.execute(db);
      await remove('exclusions', sql<boolean>`${here} and kind = 'person' and key = any(${addresses})`);
      // Buttons stay in Slack, and say that it is too late.
      const names = (text: string) => sql<boolean>`${here} and exists (
        select from unnest(${[userId, ...addresses]}::text[]) n where strpos(lower(${sql.raw(text)}::text), lower(n)) > 0)`;
      await remove('undo_offers', names('message'));
      await sql`update plancast.subscriptions set undo = null where ${names('undo')}`.execute(db);
      await remove('imports', own);
      await remove('requests', sql<boolean>`${here} and created_by = ${userId}`);
      for (const table of ['link_attempts', 'command_tries', 'direct_messages'])
        await remove(table, sql<boolean>`${here} and user_id = ${userId}`);
      await forgetRecords({ teamId, names: [userId, ...addresses] });
    },
  };

  /** Plain records only cache what Slack said a moment ago. The keys of sealed ones name no person. */
  async function forgetRecords(person: {
    readonly teamId: string;
    readonly names: readonly string[];
  }): Promise<void> {
    await sql`
      delete from plancast.keyv k using unnest(${[...person.names]}::text[]) as n
      where not starts_with(k.key, ${sealedKeyPrefix}) and strpos(k.key || k.value, ${person.teamId}) > 0
        and (strpos(lower(k.key), lower(n)) > 0 or strpos(lower(k.value), lower(n)) > 0)`.execute(db);
  }
}

/** All states except pending. */
const settled = ['posted', 'filtered', 'dead'];

export type RemoveData = ReturnType<typeof makeRemoveData>;
/** For core, which is handed the database. */
export const ofChannel = (db: Kysely<Database>, ...rest: Parameters<RemoveData['ofChannel']>) =>
  makeRemoveData({ db }).ofChannel(...rest);
/** For core, which is handed the database. */
export const ofPerson = (db: Kysely<Database>, ...rest: Parameters<RemoveData['ofPerson']>) =>
  makeRemoveData({ db }).ofPerson(...rest);
/** For core, which is handed the database. */
export const ofWorkspaceBefore = (
  db: Kysely<Database>,
  ...rest: Parameters<RemoveData['ofWorkspaceBefore']>
) => makeRemoveData({ db }).ofWorkspaceBefore(...rest);
