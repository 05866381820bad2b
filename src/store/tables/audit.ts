import { type Kysely, sql } from 'kysely';
import type { Workspace } from '../../core/model/people.ts';
import type { Database } from '../schema.ts';

/** One thing that was done. `detail` holds ids only. */
export type AuditEntry = Workspace & {
  readonly channelId?: string | undefined;
  readonly userId?: string | undefined;
  readonly act: string;
  readonly subject?: string | undefined;
  readonly detail?: Readonly<Record<string, string>> | undefined;
};

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

    /** Who last did something to each of these; without those that have no entry. */
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

    /** Removes up to `limit` entries from before `before`. Returns how many. */
    async removeOld(before: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from plancast.audit where id in (
          select id from plancast.audit where at < ${before} order by at limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

export type Audit = ReturnType<typeof makeAudit>;
