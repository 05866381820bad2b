import type { AdministeringRoomDeps } from './administering-deps.ts';
import { makeExportFile } from './export-file.ts';
import { makeImportForm } from './import-form.ts';
import { makeImportRow } from './import-row.ts';
import { makeManageWorkspace } from './manage-workspace.ts';
import { makeOfferImports } from './offer-imports.ts';
import { makeRemoveAll } from './remove-data.ts';
import { makeShowAudit } from './show-audit.ts';
import { makeShowWorkspace } from './show-workspace.ts';
import { makeVisibleChannels } from './visible-channels.ts';

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
