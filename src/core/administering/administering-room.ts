import { type ExportFileDeps, makeExportFile } from './export-file.ts';
import { type ImportFormDeps, makeImportForm } from './import-form.ts';
import { type ImportRowDeps, makeImportRow } from './import-row.ts';
import { type ManageWorkspaceDeps, makeManageWorkspace } from './manage-workspace.ts';
import { makeOfferImports, type OfferImportsDeps } from './offer-imports.ts';
import { makeRemoveAll, type RemoveDataDeps } from './remove-data.ts';
import { makeShowAudit, type ShowAuditDeps } from './show-audit.ts';
import { makeShowWorkspace, type ShowWorkspaceDeps } from './show-workspace.ts';
import { makeVisibleChannels, type VisibleChannelsDeps } from './visible-channels.ts';

type AdministeringRoomDeps = VisibleChannelsDeps &
  ImportRowDeps &
  Omit<ImportFormDeps, 'visibleChannels' | 'importRow'> &
  Omit<OfferImportsDeps, 'importRow'> &
  Omit<ExportFileDeps, 'visibleChannels'> &
  Omit<ShowWorkspaceDeps, 'visibleChannels'> &
  Omit<ManageWorkspaceDeps, 'visibleChannels'> &
  Omit<ShowAuditDeps, 'visibleChannels'> &
  Omit<RemoveDataDeps, 'visibleChannels'>;

export type AdministeringRoom = ReturnType<typeof makeAdministeringRoom>;

/** Composes what admins and operators do to a whole workspace: list, pause and remove subscriptions, export and import them, remove data. */
export function makeAdministeringRoom(deps: AdministeringRoomDeps) {
  const visibleChannels = makeVisibleChannels(deps);
  const importRow = makeImportRow(deps);
  return {
    importForm: makeImportForm({ ...deps, visibleChannels, importRow }),
    offerImports: makeOfferImports({ ...deps, importRow }),
    showWorkspace: makeShowWorkspace({ ...deps, visibleChannels }),
    manageWorkspace: makeManageWorkspace({ ...deps, visibleChannels }),
    showAudit: makeShowAudit({ ...deps, visibleChannels }),
    removeAll: makeRemoveAll({ ...deps, visibleChannels }),
    bareVerbs: { export: makeExportFile({ ...deps, visibleChannels }) },
  };
}
