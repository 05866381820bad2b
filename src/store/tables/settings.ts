import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Workspace } from '../../core/model/people.ts';
import { defaultSettings, mostDetailsDays, type WorkspaceSettings } from '../../core/model/settings.ts';
import type { Database } from '../schema.ts';

const userId = z.string().regex(/^[UW][A-Z0-9]{1,30}$/);
const projectId = z.string().regex(/^\d{3}-\d{3}-\d{3}$/);

/**
 * What is stored of a workspace. What is not there is as in a new workspace; what is there and cannot be read lets as few people do
 * something as may be, until an admin sets it again.
 */
const settingsSchema: z.ZodType<WorkspaceSettings> = z.object({
  subscribers: z
    .discriminatedUnion('kind', [
      z.object({ kind: z.literal('everyone') }),
      z.object({ kind: z.literal('admins') }),
      z.object({ kind: z.literal('people'), userIds: z.array(userId) }),
    ])
    .default({ kind: 'everyone' })
    .catch({ kind: 'admins' }),
  projects: z.array(projectId).default([]),
  signs: z.boolean().default(true),
  delivery: z
    .discriminatedUnion('when', [
      z.object({ when: z.literal('live') }),
      z.object({ when: z.literal('hourly') }),
      z.object({
        when: z.literal('daily'),
        at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/),
        weekdays: z.literal(true).optional(),
      }),
    ])
    .catch(defaultSettings.delivery),
  sharing: z.enum(['ask', 'never']).default('ask').catch('never'),
  detailsDays: z.int().min(1).max(mostDetailsDays).default(mostDetailsDays).catch(1),
});

/** The table `settings`: what the admins of a workspace chose for all of it. */
export function makeSettings({ db }: { readonly db: Kysely<Database> }) {
  return {
    /** The workspace's settings; the defaults if none were saved. */
    async of({ teamId }: Workspace): Promise<WorkspaceSettings> {
      const row = await db
        .selectFrom('plancast.settings')
        .select('value')
        .where('teamId', '=', teamId)
        .executeTakeFirst();
      return settingsSchema.parse(row?.value ?? {});
    },

    /** Workspaces that forget details earlier than all others, and after how many days. */
    async forgettingEarly(): Promise<{ readonly teamId: string; readonly detailsDays: number }[]> {
      const rows = await db.selectFrom('plancast.settings').select(['teamId', 'value']).execute();
      return rows
        .map(({ teamId, value }) => ({
          teamId,
          detailsDays: settingsSchema.parse(value).detailsDays,
        }))
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
