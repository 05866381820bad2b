import { type Channel, gridId, type SlackPerson, type Workspace } from '../../core/model/people.ts';
import type { Health, Target } from '../../core/model/subscription.ts';
import type { SettingsUndo } from '../../core/model/undo.ts';
import {
  batch,
  count,
  type Db,
  exists,
  inBatches,
  inChannel,
  inOrganization,
  json,
  run,
  sql,
  wrote,
} from '../sql.ts';
import { knownNames, lacksIdPath } from './known-names.ts';
import { addLane } from './lanes.ts';
import { columnsOf, firstOf, listOf, type Subscription, subscriptionColumns } from './subscription-row.ts';

// The table `subscriptions`. Ended rows stay, so that late notifications get `410` and "why?" has an answer.

const rows = sql`
  select ${subscriptionColumns}, ${knownNames}, ${lacksIdPath} as lacks_id_path
  from plancast.subscriptions s`;

const live = sql`${rows} where state <> 'ended'`;

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
export const ofOwner = (db: Db, person: SlackPerson): Promise<Subscription[]> =>
  listOf(db)`
    ${live} and coalesce(enterprise_id, team_id) = ${gridId(person)} and owner_user_id = ${person.userId}
    order by created_at`;

/** Lists all live subscriptions of a workspace. */
export const ofWholeWorkspace = (db: Db, { teamId }: Workspace): Promise<Subscription[]> =>
  listOf(db)`${live} and team_id = ${teamId}`;

/** What a new row needs. */
export type NewSubscription = Channel &
  Pick<Subscription, 'ownerUserId' | 'target' | 'comprehensive' | 'filters' | 'delivery' | 'threads'> & {
    readonly ping?: Subscription['ping'] | undefined;
    /** The name its owner typed, shown until the service has sent one. */
    readonly typedName?: string | undefined;
    /** Of the removed subscription that it restores. */
    readonly lastEventAt?: Date | null | undefined;
    readonly now: Date;
  };

type SubscriptionChange = SettingsUndo['before'] & {
  readonly ownerUserId?: string | undefined;
  readonly undo?: SettingsUndo | undefined;
};

/** Adds a `pending` row, before the service is asked. Returns null if this channel already follows the resource. */
export async function add(db: Db, input: NewSubscription): Promise<Subscription | null> {
  const { kind, parentId, itemId } = columnsOf(input.target);
  const row = await firstOf(db)`
    insert into plancast.subscriptions as s (enterprise_id, team_id, channel_id, owner_user_id, kind, parent_id, item_id,
      comprehensive, filters, delivery, threads, ping, typed_name, last_event_at, state, created_at, changed_at)
    values (${input.enterpriseId}, ${input.teamId}, ${input.channelId}, ${input.ownerUserId}, ${kind}, ${parentId}, ${itemId},
      ${input.comprehensive}, ${json(input.filters)}, ${json(input.delivery)}, ${input.threads}, ${input.ping && json(input.ping)},
      ${input.typedName}, ${input.lastEventAt}, 'pending', ${input.now}, ${input.now})
    on conflict do nothing returning ${subscriptionColumns}`;
  if (row) await addLane(db, input);
  return row;
}

/** Locks a row until the transaction ends. Returns whether it has not ended. */
export const lock = (db: Db, id: string): Promise<boolean> =>
  exists(db)`select from plancast.subscriptions where id = ${id} and state <> 'ended' for update`;

/**
 * Makes a row active whose remote subscription was made, and what kept the service from sending it void, unless it is paused and stays so:
 * `keepsPause`. Returns false if it has ended.
 */
export function activate(
  db: Db,
  id: string,
  { comprehensive, keepsPause }: Pick<Subscription, 'comprehensive'> & { readonly keepsPause: boolean },
  now: Date,
): Promise<boolean> {
  const stays = sql`${keepsPause} and state = 'paused'`;
  return wrote(db)`
    update plancast.subscriptions set comprehensive = ${comprehensive}, health = health - 'refused',
      state = case when ${stays} then state else 'active' end,
      reason = case when ${stays} then reason end, paused_by = case when ${stays} then paused_by end,
      withheld = case when ${stays} then withheld end, changed_at = ${now}
    where id = ${id} and state <> 'ended'`;
}

/** Lists rows that were never made at the service, and last changed before `before`, oldest change first. */
export const stuck = (db: Db, before: Date): Promise<Subscription[]> =>
  listOf(db)`
    select ${subscriptionColumns} from plancast.subscriptions s
    where state = 'pending' and changed_at < ${before} order by changed_at`;

/** Changes what is given of a live subscription; undefined leaves it unchanged. Returns false if it has ended. */
export function change(db: Db, id: string, to: SubscriptionChange, now: Date): Promise<boolean> {
  return wrote(db)`
    update plancast.subscriptions set owner_user_id = coalesce(${to.ownerUserId}, owner_user_id),
      filters = coalesce(${to.filters && json(to.filters)}, filters),
      delivery = coalesce(${to.delivery && json(to.delivery)}, delivery),
      threads = coalesce(${to.threads}, threads), comprehensive = coalesce(${to.comprehensive}, comprehensive),
      typed_name = case when ${to.typedName === undefined} then typed_name else ${to.typedName} end,
      ping = case when ${to.ping === undefined} then ping else ${to.ping ? json(to.ping) : null} end,
      undo = coalesce(${to.undo && json(to.undo)}, undo), changed_at = ${now}
    where id = ${id} and state <> 'ended'`;
}

/** Claims the question whether a subscription posts too much; false if one was asked about its channel since `since`. */
export const takeVolumeQuestion = (
  db: Db,
  { id, teamId, channelId }: Pick<Subscription, 'id' | 'teamId' | 'channelId'>,
  since: Date,
  now: Date,
): Promise<boolean> =>
  wrote(db)`
    update plancast.subscriptions set volume_asked_at = ${now}
    where id = ${id} and state <> 'ended' and not exists (select from plancast.subscriptions o
      where o.team_id = ${teamId} and o.channel_id = ${channelId} and o.volume_asked_at > ${since})`;

/** Stores until when nobody is asked again whether a subscription posts too much. */
export const keepVolume = (db: Db, id: string, until: Date): Promise<void> =>
  run(db)`update plancast.subscriptions set volume_kept_until = ${until} where id = ${id}`;

/** Forgets what changes before `before` replaced: it is too late to undo them. */
export const forgetUndo = (db: Db, before: Date): Promise<void> =>
  run(db)`
    update plancast.subscriptions set undo = null
    where undo is not null and changed_at < ${before}`;

/** Ends rows for a reason. Returns those that were still live, as lists show them, in the order in which they were made. */
export async function end(
  db: Db,
  ids: readonly string[],
  reason: string,
  now: Date,
): Promise<Subscription[]> {
  const rows = await listOf(db)`
    update plancast.subscriptions s set state = 'ended', reason = ${reason}, paused_by = null, withheld = null,
      ended_at = ${now}, changed_at = ${now}
    where id = any(${ids}::uuid[]) and state <> 'ended' returning ${subscriptionColumns}, ${knownNames}`;
  return rows.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Stores the result of a check for each subscription. */
export const noteHealth = (
  db: Db,
  notes: readonly { readonly id: string; readonly health: Health }[],
): Promise<void> =>
  run(db)`
    update plancast.subscriptions s set health = n.health
    from jsonb_to_recordset(${json(notes)}) as n(id uuid, health jsonb) where s.id = n.id`;

/** Records the rule by which a notification's signature matched the Key; returns how many times in a row this rule has matched. */
export const noteSignature = (db: Db, id: string, rule: string): Promise<number> =>
  count(db)`
    update plancast.subscriptions set signature_rule = ${rule},
      signature_matches = case when signature_rule = ${rule} then signature_matches + 1 else 1 end
    where id = ${id} returning signature_matches`;

/** Removes rows that ended before `before`, have no stored events left, and nothing at the service. */
export const removeEnded = (db: Db, before: Date): Promise<void> =>
  inBatches(db)`
    delete from plancast.subscriptions where id in (
      select id from plancast.subscriptions s
      where state = 'ended' and ended_at < ${before}
        and not exists (select from plancast.events e where e.subscription_id = s.id)
        and not exists (select from plancast.remotes r where r.subscription_id = s.id and r.deleted_at is null)
      limit ${batch})`;
