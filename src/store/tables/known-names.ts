import { sql } from '../sql.ts';

/*
 * SQL for the names under which subscriptions are shown, for a row `s` of `subscriptions`. Learned names are shared only where they give
 * nothing away: names of projects and sessions within a workspace, once the service has accepted the subscription's owner for them; names of
 * items within one person's own subscriptions.
 */

/** Projects and sessions are numbered separately: the same id can be that of both. */
const isOfSession = "s.kind in ('session', 'document')";

/** Whether the service has accepted the owner of a subscription for its whole project or session, here or elsewhere in the workspace. */
const isAccepted = `(select true from plancast.subscriptions o
  where o.team_id = s.team_id and o.owner_user_id = s.owner_user_id and o.parent_id = s.parent_id
    and (o.kind in ('session', 'document')) = (${isOfSession}) and (o.kind in ('project', 'session') or o.kind in ('folder', 'file') and o.comprehensive)
    and o.state in ('active', 'paused') and o.reason is distinct from 'no access'
    and exists (select from plancast.remotes r where r.subscription_id = o.id and r.made_at is not null and r.deleted_at is null) limit 1)`;

/** The name of a subscription's project or session from notifications; null if its channel may not see one, or none is known. */
const learnedParent = `(select i.name from plancast.items i
  where i.team_id = s.team_id and (i.item_key like 'project:%' or i.item_key like 'session:%')
    and i.item_key = case when ${isOfSession} then 'session:' else 'project:' end || s.parent_id
    and i.name is not null and (i.channel_id = s.channel_id or coalesce(${isAccepted}, false))
  order by i.changed_at desc limit 1)`;

/** The name that the channel itself shows for a subscription's project or session: that of a subscription to it in the same channel. */
const shownParent = `(select coalesce(o.resource_name, o.typed_name) from plancast.subscriptions o
  where o.team_id = s.team_id and o.channel_id = s.channel_id and o.parent_id = s.parent_id and o.state <> 'ended'
    and o.kind = case when ${isOfSession} then 'session' else 'project' end limit 1)`;

/** The name of the project or session that a subscription follows or is in; null if none is known. */
export const parentName = `coalesce(${learnedParent}, ${shownParent})`;

/** The items with known names for a subscription: those of its channel, and those of its owner's subscriptions. */
const ownItems = `plancast.items i
  where i.team_id = s.team_id and (i.channel_id = s.channel_id or i.owner_user_id = s.owner_user_id) and i.name is not null`;

const itemName = `(select i.name from ${ownItems}
    and i.item_key = case when ${isOfSession} then 'SessionDocuments:' else 'ProjectItems:' end || s.parent_id || ':' || s.item_id
  order by i.changed_at desc limit 1)`;

/** A folder's name is part of the path of any item in it, at the position of the folder's id among the ids. The path omits the root. */
const folderName = `(select split_part(i.path, '/', array_position(string_to_array(i.id_path, '/'), s.item_id) - 1)
  from ${ownItems}
    and s.kind = 'folder' and starts_with(i.item_key, 'ProjectItems:' || s.parent_id || ':')
    and array_position(string_to_array(i.id_path, '/'), s.item_id) > 1
    and cardinality(string_to_array(i.path, '/')) = cardinality(string_to_array(i.id_path, '/')) - 1
  order by i.changed_at desc limit 1)`;

/** The name of what a subscription follows: the service's, or else the one its owner typed; null if none is known. */
const resourceName = `coalesce(s.resource_name,
  case when s.item_id is null then ${learnedParent} else coalesce(${itemName}, ${folderName}) end, s.typed_name)`;

/** The known names, as `subscriptionOf` reads them. */
export const knownNames = sql.raw(`${resourceName} as known_name, ${parentName} as parent_name`);

/**
 * Whether no notification of its project shows where a followed folder's items are (`IdPath`), or which item it is about if a file is
 * followed, so that nothing is posted, as `subscriptionOf` reads it. Checks at most a hundred.
 */
export const lacksIdPath = sql`case when s.kind in ('folder', 'file') and s.comprehensive then coalesce((
  select bool_and(e.notification ->> case when s.kind = 'folder' then 'idPath' else 'itemId' end is null) from (
    select notification from plancast.events where subscription_id = s.id and notification is not null limit 100) e
  where e.notification ->> 'resourceType' = 'ProjectItems'), false) else false end as lacks_id_path`;
