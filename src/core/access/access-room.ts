import type { Audit } from '../../store/tables/audit.ts';
import type { StoredSettings } from '../../store/tables/settings.ts';
import { type ChangeSettingsDeps, makeChangeSettings } from './change-settings.ts';
import { type HomeWorkspaceDeps, makeHomeWorkspace } from './home-workspace.ts';
import { makeWhoMay, type WhoMayDeps } from './who-may.ts';
import { makeWriteAudit, type WriteAuditDeps } from './write-audit.ts';

type AccessRoomDeps = Omit<WhoMayDeps, 'settingsOf'> &
  Pick<ChangeSettingsDeps, 'openForm' | 'profileOf'> & {
    readonly audit: Pick<Audit, 'note'>;
    readonly settings: Pick<StoredSettings, 'of' | 'save'>;
    readonly written: WriteAuditDeps['written'];
    readonly firstTeamOf: HomeWorkspaceDeps['firstTeamOf'];
    readonly isInstalled: HomeWorkspaceDeps['isInstalled'];
  };

export type AccessRoom = ReturnType<typeof makeAccessRoom>;

/** Composes who may do what, the admins' settings for it, and the audit log. */
export function makeAccessRoom(deps: AccessRoomDeps) {
  const audit = makeWriteAudit(deps);
  const whoMay = makeWhoMay({ ...deps, settingsOf: deps.settings.of });
  const { requireAdmin } = whoMay;
  const changeSettings = makeChangeSettings({ ...deps, requireAdmin, audit });
  return {
    audit,
    ...whoMay,
    ...makeHomeWorkspace(deps),
    changeSettings,
    bareVerbs: { settings: changeSettings.show },
  };
}
