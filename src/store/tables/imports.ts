import { gridId, type SlackPerson } from '../../core/model/people.ts';
import { all, type Db, json, type OnDb, sql, wrote } from '../sql.ts';

// The table `imports`: subscriptions that an operator imported, until their owner agrees or declines.

/** A subscription that waits for its owner's consent. */
export type ImportedRow = {
  readonly id: string;
  readonly owner: SlackPerson;
  /** Slack's id, or `me` for the owner's direct message with the bot. */
  readonly channelId: string;
  /** Unchecked JSON. */
  readonly request: unknown;
  readonly zone: string | null;
};

type NewImport = Omit<ImportedRow, 'id'>;

/** What one run of the command imported for one owner. */
export type ImportedFor = { readonly owner: SlackPerson; readonly batch: string; readonly importedAt: Date };

export type Imports = OnDb<typeof import('./imports.ts')>;

/** A row as the database returns it, with the parts of its owner. */
type Flat<Row extends { readonly owner: SlackPerson }> = Omit<Row, 'owner'> & SlackPerson;

function withOwner<Row extends { readonly owner: SlackPerson }>({
  enterpriseId,
  teamId,
  userId,
  ...row
}: Flat<Row>) {
  return { owner: { enterpriseId, teamId, userId }, ...row };
}

/** Adds the rows of one run, whose owners have not been asked yet. Replaces a row that is already waiting. */
export async function add(db: Db, rows: readonly NewImport[], batch: string, now: Date): Promise<void> {
  for (const [index, { owner, channelId, request, zone }] of rows.entries()) {
    // In the order of the file.
    const createdAt = new Date(now.getTime() + index);
    await sql`
      insert into plancast.imports (enterprise_id, team_id, channel_id, owner_user_id, request, zone, batch, created_at)
      values (${owner.enterpriseId}, ${owner.teamId}, ${channelId}, ${owner.userId}, ${json(request)}, ${zone}, ${batch}, ${createdAt})
      on conflict (team_id, channel_id, owner_user_id, (request -> 'target')) do update
      set enterprise_id = excluded.enterprise_id, request = excluded.request, zone = excluded.zone, batch = excluded.batch,
        created_at = excluded.created_at, asked_at = null, claimed_until = null`.execute(db);
  }
}

/** Lists owners who have not been asked yet, at most `limit`, in random order. */
export async function unasked(db: Db, limit: number): Promise<ImportedFor[]> {
  // Owners who cannot be reached must not keep the others waiting.
  const rows = await all<Flat<ImportedFor>>(
    db,
    sql`
      select enterprise_id, team_id, owner_user_id as user_id, batch, min(created_at) as imported_at
      from plancast.imports where asked_at is null
      group by enterprise_id, team_id, owner_user_id, batch order by random() limit ${limit}`,
  );
  return rows.map(withOwner);
}

/** Records that the owner of what one run imported was asked about it. */
export async function markAsked(
  db: Db,
  { owner, batch }: Pick<ImportedFor, 'owner' | 'batch'>,
  now: Date,
): Promise<void> {
  await sql`
    update plancast.imports set asked_at = ${now}
    where batch = ${batch} and team_id = ${owner.teamId} and owner_user_id = ${owner.userId}`.execute(db);
}

/** Lists the rows of one run that wait for this person, in the order of the file; in an organization, those in all its workspaces. */
export async function of(db: Db, batch: string, owner: SlackPerson): Promise<ImportedRow[]> {
  const rows = await all<Flat<ImportedRow>>(
    db,
    sql`
      select id, enterprise_id, team_id, owner_user_id as user_id, channel_id, request, zone from plancast.imports
      where batch = ${batch} and (team_id = ${owner.teamId} or coalesce(enterprise_id, team_id) = ${gridId(owner)})
        and owner_user_id = ${owner.userId}
      order by created_at, id`,
  );
  return rows.map(withOwner);
}

/**
 * Claims a row until `until`, so that only one of several button presses acts on it, and a later one can if that process dies. Returns
 * false if it is claimed or gone.
 */
export const claim = (
  db: Db,
  id: string,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<boolean> =>
  wrote(
    db,
    sql`
      update plancast.imports set claimed_until = ${until}
      where id = ${id} and (claimed_until is null or claimed_until <= ${now})`,
  );

/** Ends the claim of a row that could not be added, so that its owner can try again at once. */
export async function unclaim(db: Db, id: string, batch: string): Promise<void> {
  await sql`update plancast.imports set claimed_until = null where id = ${id} and batch = ${batch}`.execute(
    db,
  );
}

/** Removes a row, unless another run has imported it again since. */
export async function remove(db: Db, id: string, batch: string): Promise<void> {
  await sql`delete from plancast.imports where id = ${id} and batch = ${batch}`.execute(db);
}

/** Removes rows that have waited since before `before`. */
export async function removeOld(db: Db, before: Date): Promise<void> {
  await sql`delete from plancast.imports where created_at < ${before}`.execute(db);
}
