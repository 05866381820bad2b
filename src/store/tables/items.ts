import type { PreviousState, Remembered } from '../../core/model/items.ts';
import type { Channel } from '../../core/model/people.ts';
import { all, type Db, first, inChannel, json, run, sql } from '../sql.ts';

// The table `items`: the last name, path, thread and message of each item, by resource and channel.

/** The last known state of an item in a channel. */
export type KnownItem = Remembered & {
  readonly threadTs: string | null;
  /** The newest message that shows it; null if unknown. */
  readonly messageTs: string | null;
  /** Owner of the subscription that last reported it; null if unknown. */
  readonly ownerUserId: string | null;
  /** Its state before it was last renamed or moved. */
  readonly previous?: PreviousState | null | undefined;
};

/** An item that a channel knows nothing about yet, and the owner of the subscription that reported it. */
export type UnknownItem = {
  readonly key: string;
  readonly ownerUserId: string;
  /** For a folder: its id, and the prefix that the keys of all items of its project share. */
  readonly folder: { readonly id: string; readonly keyPrefix: string } | null;
};

/** What was learned about an item elsewhere. */
export type LearnedItem = Remembered & { readonly previous: PreviousState | null };

type ItemKey = { readonly teamId: string; readonly channelId: string; readonly itemKey: string };

/** Returns the last known states of these items in this channel, by key. */
export async function load(db: Db, lane: Channel, keys: readonly string[]): Promise<Map<string, KnownItem>> {
  if (keys.length === 0) return new Map();
  const rows = await all(db)<KnownItem & { itemKey: string }>`
    select item_key, name, path, thread_ts, message_ts, id_path, owner_user_id, previous from plancast.items
    where ${inChannel(lane)} and item_key = any(${keys})`;
  return new Map(rows.map(({ itemKey, ...item }) => [itemKey, item]));
}

/**
 * Returns what is known elsewhere about items that a channel does not know, by key: what other subscriptions of the same owner in the
 * workspace have learned; for a folder, what the path of the last item in it shows, there or in the channel itself; and for a project
 * or session that the channel follows, what any channel of the workspace has learned.
 */
export async function learned(
  db: Db,
  { teamId, channelId }: Channel,
  unknown: readonly UnknownItem[],
): Promise<Map<string, LearnedItem>> {
  if (unknown.length === 0) return new Map();
  const wanted = unknown.map(({ key, ownerUserId, folder }) => ({
    key,
    owner: ownerUserId,
    folder: folder?.id ?? null,
    prefix: folder?.keyPrefix ?? null,
  }));
  // Two separate queries: with an `or` between them Postgres can use neither index.
  const inFolders = sql`
    select w.key, w.folder, i.changed_at, string_to_array(i.path, '/') as names, string_to_array(i.id_path, '/') as ids
    from folders w join plancast.items i on i.team_id = ${teamId} and starts_with(i.item_key, w.prefix)`;
  const rows = await all(db)<LearnedItem & { key: string }>`
    with wanted as materialized (
      select * from jsonb_to_recordset(${json(wanted)})
        as w(key text, owner text, folder text, prefix text)
    ), own as (
      select distinct on (w.key) w.key, i.name, i.path, i.id_path, i.previous
      from wanted w join plancast.items i
        on i.team_id = ${teamId} and i.owner_user_id = w.owner and i.item_key = w.key and i.name is not null
      order by w.key, i.changed_at desc
    ), parents as (
      select distinct on (w.key) w.key, i.name, i.previous
      from wanted w join plancast.items i
        on i.team_id = ${teamId} and i.item_key = w.key and i.name is not null
          and (i.item_key like 'project:%' or i.item_key like 'session:%')
      order by w.key, i.changed_at desc
    ), folders as (
      select * from wanted where folder is not null and key not in (select key from own)
    ), near as (
      ${inFolders} and i.channel_id = ${channelId}
      union all
      ${inFolders} and i.owner_user_id = w.owner
    ), inside as (
      select distinct on (key) key, names, ids, array_position(ids, folder) as at from near
      where array_position(ids, folder) > 1 and cardinality(names) = cardinality(ids) - 1
      order by key, changed_at desc
    )
    select key, name, path, id_path, previous from own where key not in (select key from parents)
    union all
    select key, name, null, null, previous from parents
    union all
    select key, names[at - 1], array_to_string(names[:at - 1], '/'), array_to_string(ids[:at], '/'), null from inside`;
  return new Map(rows.map(({ key, ...item }) => [key, item]));
}

/** Forgets a thread that no longer exists, for all items posted in it. */
export const forgetThread = (db: Db, lane: Channel, threadTs: string): Promise<void> =>
  run(db)`
    update plancast.items set thread_ts = null
    where ${inChannel(lane)} and thread_ts = ${threadTs}`;

/** Forgets a message that cannot be edited, for all items that it shows. */
export const forgetMessage = (db: Db, lane: Channel, messageTs: string): Promise<void> =>
  run(db)`
    update plancast.items set message_ts = null
    where ${inChannel(lane)} and message_ts = ${messageTs}`;

/**
 * Checks the next `limit` items in the order of their keys, from the beginning if `after` is null. Removes those not reported since
 * `heardSince`, and those whose project or session no subscription follows there or has followed since `followedSince`. Items of a
 * direct message may belong to subscriptions of any channel.
 * @returns the last key that was checked; null at the end
 */
export async function removeUnfollowed(
  db: Db,
  after: ItemKey | null,
  { heardSince, followedSince }: { readonly heardSince: Date; readonly followedSince: Date },
  limit: number,
): Promise<ItemKey | null> {
  const from = after ?? { teamId: '', channelId: '', itemKey: '' };
  const last = await first(db)<ItemKey & { count: number }>`
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
    order by team_id desc, channel_id desc, item_key desc limit 1`;
  return last === null || last.count < limit ? null : last;
}
