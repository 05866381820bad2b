import { type Channel, gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Target } from '../../core/model/subscription.ts';
import { inChannel, inOrganization } from '../in-channel.ts';
import { all, type Db, first, sql } from '../sql.ts';
import { knownNames, lacksIdPath } from './known-names.ts';
import { columnsOf, firstOf, listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

// The table `subscriptions`: what finds them.

const rows = sql`
  select ${subscriptionColumns}, ${knownNames}, ${lacksIdPath} as lacks_id_path
  from plancast.subscriptions s`;

const live = sql`${rows} where state <> 'ended'`;

const ownedBy = (person: SlackPerson) =>
  sql`coalesce(enterprise_id, team_id) = ${gridId(person)} and owner_user_id = ${person.userId}`;

/** Returns any row by its id, including ended ones. */
export const byId = (db: Db, id: string): Promise<Subscription | null> =>
  firstOf(db)`${rows} where id = ${id}`;

/** Returns the channel's live subscription to exactly this resource, with or without its contents. */
export function ofTarget(db: Db, channel: Channel, target: Target): Promise<Subscription | null> {
  const { kind, parentId, itemId } = columnsOf(target);
  return firstOf(db)`
    ${live} and ${inChannel(channel)} and parent_id = ${parentId} and kind = ${kind}
      and item_id is not distinct from ${itemId}`;
}

/** Lists the working and paused subscriptions of a workspace to a project or session with this id, or to something in it. */
export const ofParent = (
  db: Db,
  { teamId }: Workspace,
  parentId: string,
): Promise<{ channelId: string; ownerUserId: string; isSession: boolean; isShared: boolean }[]> =>
  all(db)`
    select channel_id, owner_user_id, kind in ('session', 'document') as is_session,
      exists (select from plancast.channels c
        where c.team_id = s.team_id and c.channel_id = s.channel_id and c.is_shared) as is_shared
    from plancast.subscriptions s
    where team_id = ${teamId} and parent_id = ${parentId} and state in ('active', 'paused')`;

/** Returns a live subscription of this workspace by its id. An id of another workspace is not found. */
export const ofWorkspace = (db: Db, { teamId }: Workspace, id: string): Promise<Subscription | null> =>
  firstOf(db)`${live} and id = ${id} and team_id = ${teamId}`;

/** Returns a live subscription of this workspace or of another one of its organization by its id. */
export const ofOrganization = (db: Db, workspace: Workspace, id: string): Promise<Subscription | null> =>
  firstOf(db)`${live} and id = ${id} and ${inOrganization(workspace)}`;

/** Lists all live subscriptions of a channel, oldest first. */
export const ofChannel = (db: Db, channel: Channel): Promise<Subscription[]> =>
  listOf(db)`${live} and ${inChannel(channel)} order by created_at`;

/** Lists subscriptions of a channel that ended since `since`, most recently ended first, at most `limit`. */
export const endedOfChannel = (
  db: Db,
  channel: Channel,
  since: Date,
  limit: number,
): Promise<Subscription[]> =>
  listOf(db)`
    ${rows} where ${inChannel(channel)} and state = 'ended' and ended_at >= ${since}
    order by ended_at desc limit ${limit}`;

/** Lists all live subscriptions of a person, oldest first; in an organization, those in all its workspaces. */
export const ofPerson = (db: Db, person: SlackPerson): Promise<Subscription[]> =>
  listOf(db)`${live} and ${ownedBy(person)} order by created_at`;

/** Lists a person's live subscriptions that use their link, oldest first; in an organization, those in all its workspaces. */
export const ofOwner = (db: Db, person: SlackPerson): Promise<Subscription[]> =>
  listOf(db)`${live} and ${ownedBy(person)} and fed_by is null order by created_at`;

/** Lists all live subscriptions of a workspace. */
export const ofWholeWorkspace = (db: Db, { teamId }: Workspace): Promise<Subscription[]> =>
  listOf(db)`${live} and team_id = ${teamId}`;

/** Returns the workspace whose subscription to a channel of an organization is the oldest live one; null if there is none. */
export async function firstTeamOf(db: Db, enterpriseId: string, channelId: string): Promise<string | null> {
  const row = await first(db)<Pick<Subscription, 'teamId'>>`
    select team_id from plancast.subscriptions
    where enterprise_id = ${enterpriseId} and channel_id = ${channelId} and state <> 'ended' order by created_at`;
  return row?.teamId ?? null;
}
