import type { AuditDetail } from '../../core/model/log-fields.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import { all, batch, type Db, inBatches, inChannel, json, run, sql } from '../sql.ts';

// The table `audit`: who did what, and when. `message_ts`: the message that announced it.

/** One action. `detail` contains no names. */
type AuditEntry = Workspace & {
  readonly channelId?: string | undefined;
  readonly userId?: string | undefined;
  readonly act: string;
  readonly subject?: string | undefined;
  readonly detail?: AuditDetail | undefined;
};

/** An entry as it is listed. `id` is an increasing decimal number. */
export type ListedAudit = {
  readonly id: string;
  readonly teamId: string;
  readonly userId: string | null;
  readonly channelId: string | null;
  readonly act: string;
  readonly subject: string | null;
  readonly detail: AuditDetail | null;
  readonly at: Date;
};

const columns = sql`id, team_id, user_id, nullif(channel_id, '') as channel_id, act, subject, detail, at`;

/** Stores one action of a person. */
export async function note(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  const { enterpriseId, teamId, channelId, userId, act, subject, detail } = entry;
  await run(db)`
    insert into plancast.audit (enterprise_id, team_id, channel_id, user_id, act, subject, detail, at)
    values (${enterpriseId}, ${teamId}, ${channelId}, ${userId}, ${act}, ${subject}, ${detail && json(detail)}, ${now})
  `;
}

/** Returns who last performed an act on each subject; subjects without an entry are missing. */
export async function lastTo(
  db: Db,
  { teamId }: Workspace,
  act: string,
  subjects: readonly string[],
): Promise<Map<string, { readonly userId: string; readonly at: Date }>> {
  if (subjects.length === 0) return new Map();
  const rows = await all(db)<{ subject: string; userId: string; at: Date }>`
    select subject, user_id, at from plancast.audit
    where team_id = ${teamId} and act = ${act} and subject = any(${subjects}) and user_id is not null order by at`;
  return new Map(rows.map(({ subject, ...by }) => [subject, by]));
}

/** Lists what was done, newest first: in these channels or in none, and these acts anywhere. `before`: only smaller ids; null: all. */
export const list = (
  db: Db,
  { teamId }: Workspace,
  {
    before,
    limit,
    channelIds,
    acts,
  }: { before: string | null; limit: number; channelIds: readonly string[]; acts: readonly string[] },
): Promise<ListedAudit[]> =>
  all(db)`
    select ${columns} from plancast.audit
    where team_id = ${teamId} and (coalesce(channel_id, '') = any(${['', ...channelIds]}) or act = any(${acts}))
      ${before === null ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`;

/** Lists what a message in a channel announced. */
export const announcedBy = (db: Db, channel: Channel, messageTs: string): Promise<ListedAudit[]> =>
  all(db)`
    select ${columns} from plancast.audit where ${inChannel(channel)} and message_ts = ${messageTs} order by id`;

/** Removes entries older than `before`. */
export const removeOld = (db: Db, before: Date): Promise<void> =>
  inBatches(db)`
    delete from plancast.audit where id in (
      select id from plancast.audit where at < ${before} order by at limit ${batch})`;
