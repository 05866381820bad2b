import { type Kysely, type Selectable, sql } from 'kysely';
import type { AuditDetail } from '../../core/model/audit-act.ts';
import type { Channel, Workspace } from '../../core/model/people.ts';
import type { AuditTable, Database } from '../schema.ts';

/** One action. `detail` contains no names. */
type AuditEntry = Workspace & {
  readonly channelId?: string | undefined;
  readonly userId?: string | undefined;
  readonly act: string;
  readonly subject?: string | undefined;
  readonly detail?: AuditDetail | undefined;
};

/** An entry as it is listed. `id` is an increasing decimal number. */
export type ListedAudit = Pick<
  Selectable<AuditTable>,
  'id' | 'teamId' | 'userId' | 'channelId' | 'act' | 'subject' | 'detail' | 'at'
>;

const listed = ['id', 'teamId', 'userId', 'channelId', 'act', 'subject', 'detail', 'at'] as const;

/** The table `audit`: who did what, and when. */
export function makeAudit({ db }: { readonly db: Kysely<Database> }) {
  return {
    async note(entry: AuditEntry, now: Date): Promise<void> {
      await db
        .insertInto('plancast.audit')
        .values({
          enterpriseId: entry.enterpriseId,
          teamId: entry.teamId,
          channelId: entry.channelId ?? null,
          userId: entry.userId ?? null,
          act: entry.act,
          subject: entry.subject ?? null,
          detail: entry.detail ? JSON.stringify(entry.detail) : null,
          at: now,
        })
        .execute();
    },

    /** Returns who last performed an act on each subject; subjects without an entry are missing. */
    async lastTo(
      { teamId }: Workspace,
      act: string,
      subjects: readonly string[],
    ): Promise<Map<string, { readonly userId: string; readonly at: Date }>> {
      if (subjects.length === 0) return new Map();
      const rows = await db
        .selectFrom('plancast.audit')
        .select(['subject', 'userId', 'at'])
        .where('teamId', '=', teamId)
        .where('act', '=', act)
        .where('subject', 'in', [...subjects])
        .orderBy('at')
        .execute();
      return new Map(
        rows.flatMap(({ subject, userId, at }) =>
          subject === null || userId === null ? [] : [[subject, { userId, at }] as const],
        ),
      );
    },

    /**
     * Lists what was done in a workspace, newest first: entries for these channels or for none, and entries with these acts anywhere.
     * `before`: only entries with a smaller id; null for all.
     */
    async list(
      { teamId }: Workspace,
      {
        before,
        limit,
        channelIds,
        acts,
      }: { before: string | null; limit: number; channelIds: readonly string[]; acts: readonly string[] },
    ): Promise<ListedAudit[]> {
      const rows = await db
        .selectFrom('plancast.audit')
        .select(listed)
        .where('teamId', '=', teamId)
        .where(
          sql<boolean>`(coalesce(channel_id, '') = any(${['', ...channelIds]}) or act = any(${[...acts]}))`,
        )
        .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, channelId: row.channelId || null }));
    },

    /** Lists what a message in a channel announced. */
    announcedBy({ teamId, channelId }: Channel, messageTs: string): Promise<ListedAudit[]> {
      return db
        .selectFrom('plancast.audit')
        .select(listed)
        .where('teamId', '=', teamId)
        .where('channelId', '=', channelId)
        .where('messageTs', '=', messageTs)
        .orderBy('id')
        .execute();
    },

    /** Removes up to `limit` entries older than `before`. Returns how many. */
    async removeOld(before: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from plancast.audit where id in (
          select id from plancast.audit where at < ${before} order by at limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

export type Audit = ReturnType<typeof makeAudit>;

type ShimAudit = ReturnType<typeof makeAudit>;
/** For core, which is handed the database. */
export const note = (db: Kysely<Database>, ...rest: Parameters<ShimAudit['note']>) =>
  makeAudit({ db }).note(...rest);
/** For core, which is handed the database. */
export const lastTo = (db: Kysely<Database>, ...rest: Parameters<ShimAudit['lastTo']>) =>
  makeAudit({ db }).lastTo(...rest);
/** For core, which is handed the database. */
export const list = (db: Kysely<Database>, ...rest: Parameters<ShimAudit['list']>) =>
  makeAudit({ db }).list(...rest);
/** For core, which is handed the database. */
export const announcedBy = (db: Kysely<Database>, ...rest: Parameters<ShimAudit['announcedBy']>) =>
  makeAudit({ db }).announcedBy(...rest);
/** For core, which is handed the database. */
export const removeOld = (db: Kysely<Database>, ...rest: Parameters<ShimAudit['removeOld']>) =>
  makeAudit({ db }).removeOld(...rest);
