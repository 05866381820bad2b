import type { Change } from '../../core/model/change.ts';
import type { Exclusion, ExclusionSubject } from '../../core/model/filters.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import { all, count, type Db, first, inChannel, inOrganization, run, sql, wrote } from '../sql.ts';

// The table `exclusions`: items that are muted in a channel, and people whose changes are hidden there.

type ExclusionRow = Omit<Exclusion, 'subject'> & {
  readonly kind: ExclusionSubject['kind'];
  readonly key: string;
  /** Of an item, as `add` has written it. */
  readonly itemKind: Change['kind'] | null;
  readonly name: string | null;
  readonly folder: string[] | null;
};
type By = { readonly byUserId: string; readonly now: Date };

const columns = sql`x.id, x.enterprise_id, x.team_id, x.channel_id, x.kind, x.key, x.item_kind, x.folder, x.by_user_id`;

/** Excludes something in a channel. Returns null if it is already excluded there. */
export async function add(
  db: Db,
  { enterpriseId, teamId, channelId }: Channel,
  subject: ExclusionSubject,
  { byUserId, now }: By,
): Promise<Exclusion | null> {
  const item = subject.kind === 'item' ? subject : null;
  const row = await first(db)<ExclusionRow>`
    insert into plancast.exclusions as x
      (enterprise_id, team_id, channel_id, kind, key, item_kind, name, folder, by_user_id, is_active, changed_at)
    values (${enterpriseId}, ${teamId}, ${channelId}, ${subject.kind}, ${subject.key}, ${item?.itemKind}, ${item?.name},
      ${item?.folder}, ${byUserId}, true, ${now})
    on conflict on constraint exclusions_key do update set item_kind = excluded.item_kind, name = excluded.name,
      folder = excluded.folder, by_user_id = excluded.by_user_id, is_active = true, changed_at = excluded.changed_at
    where not x.is_active
    returning ${columns}, x.name`;
  return row && exclusionOf(row);
}

/** Ends an exclusion. Returns whether it was not over yet. */
export const end = (db: Db, id: string, now: Date): Promise<boolean> =>
  wrote(db)`
    update plancast.exclusions set is_active = false, changed_at = ${now} where id = ${id} and is_active`;

/** Returns an exclusion of this workspace or of another one of its organization by its id, even if it has ended. */
export async function ofOrganization(db: Db, workspace: Workspace, id: string): Promise<Exclusion | null> {
  const row = await first(db)<ExclusionRow>`
    select ${columns}, x.name from plancast.exclusions x where id = ${id} and ${inOrganization(workspace)}`;
  return row && exclusionOf(row);
}

/** Lists what is excluded in some channels, newest first; items with their current name. */
export async function ofChannels(db: Db, channels: readonly Channel[]): Promise<Exclusion[]> {
  const [teams, ids] = [channels.map(({ teamId }) => teamId), channels.map(({ channelId }) => channelId)];
  const rows = await all(db)<ExclusionRow>`
    select ${columns}, coalesce(i.name, x.name) as name
    from unnest(${teams}::text[], ${ids}::text[]) as c (team_id, channel_id)
      join plancast.exclusions x on x.team_id = c.team_id and x.channel_id = c.channel_id and x.is_active
      left join plancast.items i
      on i.team_id = x.team_id and i.channel_id = x.channel_id and i.item_key = x.key and x.kind = 'item'
    order by x.changed_at desc`;
  return rows.map(exclusionOf);
}

/** Counts what is excluded in a channel. */
export const countIn = (db: Db, channel: Channel): Promise<number> =>
  count(db)`select count(*)::int from plancast.exclusions where ${inChannel(channel)} and is_active`;

/** Removes exclusions that ended before `before`. Until then, a press on their button is answered with how things are. */
export const removeEnded = (db: Db, before: Date): Promise<void> =>
  run(db)`delete from plancast.exclusions where not is_active and changed_at < ${before}`;

function exclusionOf({ kind, key, itemKind, name, folder, ...row }: ExclusionRow): Exclusion {
  const subject: ExclusionSubject =
    kind === 'person' ? { kind, key } : { kind, key, itemKind: itemKind ?? 'item', name, folder };
  return { ...row, subject };
}
