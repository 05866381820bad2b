import { type Kysely, sql } from 'kysely';
import type { Workspace } from '../core/people.ts';
import type { Database } from './schema.ts';

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
          enterprise_id: entry.enterpriseId,
          team_id: entry.teamId,
          channel_id: entry.channelId ?? null,
          user_id: entry.userId ?? null,
          act: entry.act,
          subject: entry.subject ?? null,
          detail: entry.detail ? JSON.stringify(entry.detail) : null,
          at: now,
        })
        .execute();
    },

    /** Removes what was noted before `before`, at most `limit`. Returns how many. */
    async removeOld(before: Date, limit: number): Promise<number> {
      const result = await sql`
        delete from plancast.audit where id in (
          select id from plancast.audit where at < ${before} order by at limit ${limit})`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },
  };
}

export type Audit = ReturnType<typeof makeAudit>;
