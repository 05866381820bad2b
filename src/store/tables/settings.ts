import type { Kysely } from 'kysely';
import type { Workspace } from '../../core/model/people.ts';
import { mostDetailsDays, settingsSchema, type WorkspaceSettings } from '../../core/model/settings.ts';
import type { Database } from '../schema.ts';

/** The table `settings`: what the admins of a workspace chose for the whole workspace. */
export function makeSettings({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** Returns the workspace's settings, or the defaults if none were saved. */
    async of({ teamId }: Workspace): Promise<WorkspaceSettings> {
      const row = await db
        .selectFrom('plancast.settings')
        .select('value')
        .where('teamId', '=', teamId)
        .executeTakeFirst();
      return settingsSchema.parse(row?.value ?? {});
    },

    /** Lists workspaces that delete details earlier than all others, and after how many days. */
    async forgettingEarly(): Promise<{ readonly teamId: string; readonly detailsDays: number }[]> {
      const rows = await db.selectFrom('plancast.settings').select(['teamId', 'value']).execute();
      return rows
        .map(({ teamId, value }) => ({ teamId, detailsDays: settingsSchema.parse(value).detailsDays }))
        .filter(({ detailsDays }) => detailsDays < mostDetailsDays);
    },

    /** Replaces the workspace's settings. */
    async save({ teamId, enterpriseId }: Workspace, value: WorkspaceSettings, now: Date): Promise<void> {
      const columns = { enterpriseId, value: JSON.stringify(value), changedAt: now };
      await db
        .insertInto('plancast.settings')
        .values({ teamId, ...columns })
        .onConflict((conflict) => conflict.column('teamId').doUpdateSet(columns))
        .execute();
    },
  };
}

export type StoredSettings = ReturnType<typeof makeSettings>;

type ShimSettings = ReturnType<typeof makeSettings>;
/** For core, which is handed the database. */
export const of = (db: Kysely<Database>, ...rest: Parameters<ShimSettings['of']>) =>
  makeSettings({ db }).of(...rest);
/** For core, which is handed the database. */
export const forgettingEarly = (db: Kysely<Database>, ...rest: Parameters<ShimSettings['forgettingEarly']>) =>
  makeSettings({ db }).forgettingEarly(...rest);
/** For core, which is handed the database. */
export const save = (db: Kysely<Database>, ...rest: Parameters<ShimSettings['save']>) =>
  makeSettings({ db }).save(...rest);
