import type { Workspace } from '../../core/model/people.ts';
import { mostDetailsDays, settingsSchema, type WorkspaceSettings } from '../../core/model/settings.ts';
import { all, cell, type Db, json, run } from '../sql.ts';

// The table `settings`: what the admins of a workspace chose for the whole workspace.

/** Returns the workspace's settings, or the defaults if none were saved. */
export async function of(db: Db, { teamId }: Workspace): Promise<WorkspaceSettings> {
  const value = await cell(db)`select value from plancast.settings where team_id = ${teamId}`;
  return settingsSchema.parse(value ?? {});
}

/** Lists workspaces that delete details earlier than all others, and after how many days. */
export async function forgettingEarly(db: Db): Promise<{ teamId: string; detailsDays: number }[]> {
  const rows = await all(db)<{
    teamId: string;
    value: unknown;
  }>`select team_id, value from plancast.settings`;
  return rows
    .map(({ teamId, value }) => ({ teamId, detailsDays: settingsSchema.parse(value).detailsDays }))
    .filter(({ detailsDays }) => detailsDays < mostDetailsDays);
}

/** Replaces the workspace's settings. */
export const save = (db: Db, { teamId, enterpriseId }: Workspace, value: WorkspaceSettings): Promise<void> =>
  run(db)`
    insert into plancast.settings (team_id, enterprise_id, value) values (${teamId}, ${enterpriseId}, ${json(value)})
    on conflict (team_id) do update set enterprise_id = excluded.enterprise_id, value = excluded.value`;
