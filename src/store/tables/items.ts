import { type Kysely, sql } from 'kysely';
import type { Channel } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/** The last known state of an item in a channel. `path` is the whole path including its name. */
export type KnownItem = {
  readonly name: string | null;
  readonly path: string | null;
  readonly threadTs: string | null;
  /** Ids of the folders it was in, from the root down to itself. */
  readonly idPath: string | null;
};

type ItemKey = { readonly teamId: string; readonly channelId: string; readonly itemKey: string };

/** The table `items`: the last name, path and thread of each item, by resource and channel. */
export function makeItems({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** The last known states of these items in this channel, by key. */
    async load(lane: Channel, keys: readonly string[]): Promise<Map<string, KnownItem>> {
      if (keys.length === 0) return new Map();
      const rows = await db
        .selectFrom('plancast.items')
        .select(['itemKey', 'name', 'path', 'threadTs', 'idPath'])
        .where('teamId', '=', lane.teamId)
        .where('channelId', '=', lane.channelId)
        .where(sql<boolean>`item_key = any(${[...new Set(keys)]}::text[])`)
        .execute();
      return new Map(rows.map(({ itemKey, ...item }) => [itemKey, item]));
    },

    /** Forgets a thread that is gone, for all items that went into it. */
    async forgetThread(lane: Channel, threadTs: string): Promise<void> {
      await db
        .updateTable('plancast.items')
        .set({ threadTs: null })
        .where('teamId', '=', lane.teamId)
        .where('channelId', '=', lane.channelId)
        .where('threadTs', '=', threadTs)
        .execute();
    },

    /**
     * Looks at the next `limit` items in the order of their keys, null beginning, and removes those of them that nothing was heard of
     * since `heardSince`, and those whose project or session no subscription follows there and none followed since `followedSince`. What
     * is posted as a direct message belongs to subscriptions of other channels.
     * @returns the last key that was checked; null at the end
     */
    async removeUnfollowed(
      after: ItemKey | null,
      { heardSince, followedSince }: { readonly heardSince: Date; readonly followedSince: Date },
      limit: number,
    ): Promise<ItemKey | null> {
      const from = after ?? { teamId: '', channelId: '', itemKey: '' };
      const { rows } = await sql<ItemKey & { count: number }>`
        with page as materialized (
          select team_id, channel_id, item_key, changed_at from plancast.items
          where (team_id, channel_id, item_key) > (${from.teamId}, ${from.channelId}, ${from.itemKey})
          order by team_id, channel_id, item_key limit ${limit}
        ), removed as (
          delete from plancast.items i using page p
          where (i.team_id, i.channel_id, i.item_key) = (p.team_id, p.channel_id, p.item_key)
            and (p.changed_at < ${heardSince} or not exists (
              select from plancast.subscriptions s
              where s.team_id = p.team_id and (s.channel_id = p.channel_id or p.channel_id like 'D%')
                and replace(lower(s.parent_id), '-', '') = replace(lower(split_part(p.item_key, ':', 2)), '-', '')
                and (s.state <> 'ended' or s.ended_at > ${followedSince})))
        )
        select team_id, channel_id, item_key, (select count(*)::int from page) as count from page
        order by team_id desc, channel_id desc, item_key desc limit 1`.execute(db);
      const [last] = rows;
      return last === undefined || last.count < limit ? null : last;
    },

    /** Stores an item's state; null deletes it. */
    async note(lane: Channel, items: ReadonlyMap<string, KnownItem | null>, now: Date): Promise<void> {
      const gone = [...items].filter(([, item]) => item === null).map(([key]) => key);
      const heard = [...items].flatMap(([key, item]) => (item === null ? [] : [{ key, ...item }]));
      if (gone.length > 0) {
        await db
          .deleteFrom('plancast.items')
          .where('teamId', '=', lane.teamId)
          .where('channelId', '=', lane.channelId)
          .where(sql<boolean>`item_key = any(${gone}::text[])`)
          .execute();
      }
      if (heard.length > 0) {
        await sql`
          insert into plancast.items (team_id, channel_id, item_key, name, path, thread_ts, id_path, changed_at)
          select ${lane.teamId}, ${lane.channelId}, key, name, path, "threadTs", "idPath", ${now}
          from jsonb_to_recordset(${JSON.stringify(heard)}::jsonb)
            as t(key text, name text, path text, "threadTs" text, "idPath" text)
          on conflict (team_id, channel_id, item_key) do update
            set name = excluded.name, path = excluded.path, thread_ts = excluded.thread_ts, id_path = excluded.id_path, changed_at = excluded.changed_at`.execute(
          db,
        );
      }
    },
  };
}

export type Items = ReturnType<typeof makeItems>;
