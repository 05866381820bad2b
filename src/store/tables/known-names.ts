import type { Channel, SlackPerson } from '../../core/model/people.ts';
import { all, type Db, first, sql } from '../sql.ts';
import type { TargetColumns } from './subscription-row.ts';

/*
 * The names of a workspace's projects, sessions and folders, which notifications have sent and people have typed, and where they may be
 * shown: a name is shown in a channel that follows its project or session, and what a public channel follows has its name everywhere, but in
 * channels shared with another organization. Only a subscription that the service has accepted counts, or asking for an id would reveal a
 * name. In statements below, `s` is the row of `subscriptions` that is shown, and `o` one that follows the same project or session.
 */

const isOfSession = (row: string) => `${row}.kind in ('session', 'document')`;

const isAccepted = `o.state in ('active', 'paused') and o.withheld is distinct from 'no access'
  and (select true from plancast.remotes r where r.subscription_id = o.id and r.made_at is not null and r.deleted_at is null limit 1)`;

/** Whether the channel `c` of a subscription is one whose names the whole workspace may know. */
const isOpen = 'c.is_public and not c.is_shared';

const isShared = `(select c.is_shared from plancast.channels c where c.team_id = s.team_id and c.channel_id = s.channel_id) is true`;

/**
 * The subscriptions because of which the channel of `s` may show the name of its project or session. In a direct message, its person's too.
 * Workspaces are compared in a way that no index supports: while tables have no statistics, the planner would look for `team_id` in the index
 * of all that a workspace follows, instead of the few rows of `subscriptions_of_parent`.
 */
const followers = `plancast.subscriptions o left join plancast.channels c on c.team_id = o.team_id and c.channel_id = o.channel_id
  where o.team_id is not distinct from s.team_id and o.parent_id = s.parent_id and o.state <> 'ended' and o.item_id is null
    and (${isOfSession('o')}) = (${isOfSession('s')}) and ${isAccepted}
    and (o.channel_id = s.channel_id
      or not ${isShared} and (${isOpen} or s.channel_id like 'D%' and o.owner_user_id = s.owner_user_id))`;

/** The newest name that the service has sent for a project or session, anywhere in the workspace. */
const sentParent = (row: string) => `(select i.name from plancast.items i
  where i.team_id = ${row}.team_id and (i.item_key like 'project:%' or i.item_key like 'session:%')
    and i.item_key = case when ${isOfSession(row)} then 'session:' else 'project:' end || ${row}.parent_id
    and i.name is not null
  order by i.changed_at desc limit 1)`;

/** The name of the project or session that a subscription follows or is in: the service's, or else a typed one; null if none may be shown. */
export const parentName = `coalesce(
  (select coalesce(${sentParent('s')}, o.resource_name, o.typed_name) from ${followers}
    order by o.resource_name is null, o.typed_name is null, o.channel_id <> s.channel_id, o.created_at desc limit 1),
  (select o.typed_name from plancast.subscriptions o where o.team_id = s.team_id and o.channel_id = s.channel_id
    and o.parent_id = s.parent_id and o.state <> 'ended' and o.typed_name is not null
    and o.kind = case when ${isOfSession('s')} then 'session' else 'project' end limit 1))`;

/** The items with known names for a subscription: those of its channel, and those of its owner's subscriptions. */
const ownItems = `plancast.items i
  where i.team_id = s.team_id and (i.channel_id = s.channel_id or i.owner_user_id = s.owner_user_id) and i.name is not null`;

const itemKey = `case when ${isOfSession('s')} then 'SessionDocuments:' else 'ProjectItems:' end || s.parent_id || ':' || s.item_id`;

const itemName = `(select i.name from ${ownItems} and i.item_key = ${itemKey} order by i.changed_at desc limit 1)`;

/** A folder's name as a public channel learned it. */
const openFolderName = `(select i.name from plancast.items i
    join plancast.channels c on c.team_id = i.team_id and c.channel_id = i.channel_id and ${isOpen}
  where s.kind = 'folder' and not ${isShared} and i.team_id = s.team_id and i.name is not null and i.item_key = ${itemKey}
  order by i.changed_at desc limit 1)`;

/** A folder's name is part of the path of any item in it, at the position of the folder's id among the ids. The path omits the root. */
const folderName = `(select split_part(i.path, '/', array_position(string_to_array(i.id_path, '/'), s.item_id) - 1)
  from ${ownItems}
    and s.kind = 'folder' and starts_with(i.item_key, 'ProjectItems:' || s.parent_id || ':')
    and array_position(string_to_array(i.id_path, '/'), s.item_id) > 1
    and cardinality(string_to_array(i.path, '/')) = cardinality(string_to_array(i.id_path, '/')) - 1
  order by i.changed_at desc limit 1)`;

/** The name of what a subscription follows: the service's, or else a typed one, its own before that of another; null if none is known. */
const resourceName = `case when s.item_id is null
  then coalesce(case when (select true from ${followers} limit 1) then ${sentParent('s')} end, s.resource_name, s.typed_name, ${parentName})
  else coalesce(s.resource_name, ${itemName}, ${folderName}, ${openFolderName}, s.typed_name) end`;

/** The known names, as `subscriptionOf` reads them. */
export const knownNames = sql.raw(`${resourceName} as known_name, ${parentName} as parent_name`);

/**
 * Returns the names that may be shown in a channel: of something that it may not follow, and of the project or session that this is in. The
 * caller makes sure that it may show the name of a file, folder or document, which the channel can remember longer than it follows it.
 */
export const shownIn = async (
  db: Db,
  { teamId, channelId }: Channel,
  { kind, parentId, itemId }: TargetColumns,
): Promise<{ readonly knownName: string | null; readonly parentName: string | null }> => {
  const found = await first(db)<{ readonly knownName: string | null; readonly parentName: string | null }>`
    select ${knownNames} from (
      select ${teamId}::text as team_id, ${channelId}::text as channel_id, null::text as owner_user_id, ${kind}::text as kind,
        ${parentId}::text as parent_id, ${itemId}::text as item_id, null::text as resource_name, null::text as typed_name) s`;
  return found ?? { knownName: null, parentName: null };
};

/** A project, session or folder with its name. */
export type KnownName = {
  readonly id: string;
  readonly kind: 'project' | 'session' | 'folder';
  /** Of a folder: its project. */
  readonly projectId?: string;
  /** Of a folder: the names from the top of the project down. */
  readonly name: string;
  /** Whether the service has sent it; otherwise a person has typed it. */
  readonly isSent: boolean;
};

/** How many projects and sessions of a workspace are looked through for a name, those followed last. */
const mostNames = 2_000;
/** How many subscriptions are looked at for the names of folders, the last one to each project or folder first, and how many items these may return in all. */
const mostFollowed = 100;
const mostPlaces = 5_000;

/** The subscriptions because of which a full member who is in these channels may be shown what `o` follows. */
const shownBy = ({ teamId, userId }: SlackPerson, channelIds: readonly string[]) => sql`
  plancast.subscriptions o left join plancast.channels c on c.team_id = o.team_id and c.channel_id = o.channel_id
  where o.team_id = ${teamId} and o.state <> 'ended' and ${sql.raw(isAccepted)}
    and (o.owner_user_id = ${userId} or ${sql.raw(isOpen)}
      or o.channel_id = any(${channelIds}::text[]) and c.is_shared is not true)`;

/**
 * Returns the names of projects and sessions that a full member may be shown: what their own link follows, what a public channel follows, and
 * what their channels follow. A channel that is shared with another organization does not count.
 *
 * @param channelIds the channels that they are in
 */
export const shownTo = (db: Db, person: SlackPerson, channelIds: readonly string[]): Promise<KnownName[]> =>
  all(db)`
    with followed as (
      select distinct on (o.kind, o.parent_id) o.team_id, o.kind, o.parent_id, o.created_at, o.resource_name, o.typed_name
      from ${shownBy(person, channelIds)} and o.kind in ('project', 'session')
      order by o.kind, o.parent_id, o.resource_name is null, o.typed_name is null, o.created_at desc
    ), named as (
      select o.parent_id as id, o.kind, o.created_at, coalesce(${sql.raw(sentParent('o'))}, o.resource_name) as sent, o.typed_name
      from followed o
    )
    select id, kind, coalesce(sent, typed_name) as name, sent is not null as is_sent
    from named where coalesce(sent, typed_name) is not null order by created_at desc limit ${mostNames}`;

/** Where an item is: the names and the ids of its folders and its own. Only the ids begin with the root. */
export type ShownPlace = {
  readonly projectId: string;
  /** The only folder whose name may be shown; null for all of them. */
  readonly folderId: string | null;
  readonly path: string;
  readonly idPath: string;
};

/**
 * Returns where the items are of projects whose names a full member may be shown. In a folder that is followed alone, only that folder's name
 * may be shown.
 * @param of `projectId`: only of this one; `named`: only with one of these in the path, in lower case; `each`: how many for each subscription
 */
export const placesShownTo = (
  db: Db,
  person: SlackPerson,
  channelIds: readonly string[],
  of: { readonly projectId: string | null; readonly named: readonly string[]; readonly each: number },
): Promise<ShownPlace[]> =>
  all(db)`
    with followed as (
      select o.team_id, o.channel_id, o.parent_id, case o.kind when 'folder' then o.item_id end as folder_id
      from ${shownBy(person, channelIds)} and o.kind in ('project', 'folder')
        and (${of.projectId}::text is null or o.parent_id = ${of.projectId})
      order by row_number() over (partition by o.parent_id, o.item_id order by o.created_at desc), o.created_at desc
      limit ${mostFollowed}
    )
    select f.parent_id as project_id, f.folder_id, i.path, i.id_path
    from followed f cross join lateral (
      select path, id_path from plancast.items i
      where i.team_id = f.team_id and i.channel_id = f.channel_id and i.path is not null and i.id_path is not null
        and starts_with(i.item_key, 'ProjectItems:' || f.parent_id || ':')
        and (f.folder_id is null or f.folder_id = any(string_to_array(i.id_path, '/')))
      limit ${of.each}
    ) i
    where cardinality(${of.named}::text[]) = 0
      or exists (select from unnest(${of.named}::text[]) n where strpos(lower(i.path), n) > 0)
    limit ${mostPlaces}`;

/**
 * Whether no notification of its project shows where a followed folder's items are (`IdPath`), or which item it is about if a file is
 * followed, so that nothing is posted, as `subscriptionOf` reads it. Checks at most a hundred.
 */
export const lacksIdPath = sql`case when s.kind in ('folder', 'file') and s.comprehensive then coalesce((
  select bool_and(e.notification ->> case when s.kind = 'folder' then 'idPath' else 'itemId' end is null) from (
    select notification from plancast.events where subscription_id = s.id and notification is not null limit 100) e
  where e.notification ->> 'resourceType' = 'ProjectItems'), false) else false end`;
