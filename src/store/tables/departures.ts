import type { Workspace } from '../../core/model/people.ts';
import { all, column, type Db, first, run, sql } from '../sql.ts';

// The table `departures`: one row each, from Slack's event until nothing is left of the workspace.

/** A workspace that removed the bot, or an organization that did so for all of its workspaces. */
export type Departure = {
  /** The workspace's id, or the organization's. */
  readonly id: string;
  readonly enterpriseId: string | null;
  readonly cause: 'uninstalled' | 'access revoked';
  /** The end of the second in which it left, by Slack's clock. */
  readonly leftAt: Date;
  readonly notedAt: Date;
  /** When Slack last said that the installation still exists. */
  readonly installedAt: Date | null;
  /** When it was confirmed that the bot is no longer installed. */
  readonly confirmedAt: Date | null;
  readonly tokensRemovedAt: Date | null;
  /** When its rows were last looked for and deleted. */
  readonly purgedAt: Date | null;
};

export type NewDeparture = Pick<Departure, 'id' | 'enterpriseId' | 'cause' | 'leftAt'>;

const columns = sql`id, enterprise_id, cause, left_at, noted_at, stood_at as installed_at, confirmed_at, tokens_removed_at, purged_at`;

/** Tables that are searched for the workspaces of an organization. Events belong to subscriptions, and are too many to search. */
const namingWorkspaces = [
  'links',
  'link_attempts',
  'subscriptions',
  'channels',
  'lanes',
  'announcements',
  'settings',
  'requests',
  'audit',
  'exclusions',
  'direct_messages',
] as const;

/**
 * Records a departure. An event that is not newer than the recorded one changes nothing; after a newer one everything is removed again.
 * If the tokens had been removed by then, the departure also has to be confirmed again.
 */
export const note = (db: Db, { id, enterpriseId, cause, leftAt }: NewDeparture, now: Date): Promise<void> =>
  run(db)`
    insert into plancast.departures as d (id, enterprise_id, cause, left_at, noted_at)
    values (${id}, ${enterpriseId}, ${cause}, ${leftAt}, ${now})
    on conflict (id) do update set
      enterprise_id = coalesce(excluded.enterprise_id, d.enterprise_id),
      cause = excluded.cause,
      left_at = excluded.left_at,
      noted_at = case when d.tokens_removed_at is null then d.noted_at else excluded.noted_at end,
      confirmed_at = case when d.tokens_removed_at is null then d.confirmed_at end,
      stood_at = null,
      tokens_removed_at = null,
      purged_at = null
    where excluded.left_at > d.left_at`;

export const byId = (db: Db, id: string): Promise<Departure | null> =>
  first(db)`select ${columns} from plancast.departures where id = ${id}`;

/** Lists all unfinished departures, organizations first. */
export const unfinished = (db: Db): Promise<Departure[]> =>
  all(db)`
    select ${columns} from plancast.departures order by id is not distinct from enterprise_id desc, noted_at`;

/** Records that a step was done, for the first time or again. */
export const done = (db: Db, id: string, step: 'confirmedAt' | 'tokensRemovedAt', now: Date): Promise<void> =>
  run(db)`update plancast.departures set ${sql.ref(step)} = ${now} where id = ${id}`;

/**
 * Records that all rows that were found are deleted, unless there is a subscription or link again. Until then, or for an hour, they are not
 * looked for.
 */
export const purged = (db: Db, id: string, now: Date): Promise<void> =>
  run(db)`
    update plancast.departures set purged_at = ${now}
    where id = ${id} and not exists (select from plancast.links where team_id = ${id})
      and not exists (select from plancast.subscriptions where team_id = ${id} and state <> 'ended')`;

/**
 * Has the rows of a workspace that is leaving looked for again within a minute, because something was stored for it that was under way when
 * they were. Call it after that is committed: then either this finds the departure, or the departure finds what was stored.
 */
export const lookAgain = (db: Db, { teamId, enterpriseId }: Workspace): Promise<void> =>
  run(db)`update plancast.departures set purged_at = null where id in (${teamId}, ${enterpriseId})`;

/** Records that the installation still exists, unless the departure was recorded again since it was read. */
export const noteInstalled = (db: Db, { id, leftAt }: Departure, now: Date): Promise<void> =>
  run(db)`
    update plancast.departures set stood_at = ${now}, confirmed_at = null
    where id = ${id} and left_at = ${leftAt}`;

/** Deletes a departure that is finished or was a false alarm, unless it was recorded again since it was read. */
export const end = (db: Db, { id, leftAt }: Departure): Promise<void> =>
  run(db)`delete from plancast.departures where id = ${id} and left_at = ${leftAt}`;

/** Deletes departures of workspaces that have regained access from their organization, unless they lost it after `at`. */
export const endRevoked = (db: Db, ids: readonly string[], at: Date): Promise<void> =>
  run(db)`
    delete from plancast.departures
    where id = any(${ids}) and cause = 'access revoked' and left_at <= ${at}`;

/** Returns the workspaces of an organization that have stored rows. */
export async function workspacesOf(db: Db, enterpriseId: string): Promise<Workspace[]> {
  const named = namingWorkspaces.map(
    (table) =>
      sql`select team_id from ${sql.table(`plancast.${table}`)} where enterprise_id = ${enterpriseId}`,
  );
  const teamIds = await column(db)<string>`${sql.join(named, sql` union `)}`;
  return teamIds.map((teamId) => ({ enterpriseId, teamId }));
}
