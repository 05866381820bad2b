import type { AdministeringRoomDeps } from './administering-deps.ts';
import { makeExportFile } from './export-file.ts';
import { makeImportForm } from './import-form.ts';
import { makeImportRow } from './import-row.ts';
import { makeOfferImports } from './offer-imports.ts';

export type AdministeringRoom = ReturnType<typeof makeAdministeringRoom>;

/** Composes exports and imports. */
export function makeAdministeringRoom(deps: AdministeringRoomDeps) {
  const importRow = makeImportRow(deps);
  return {
    importForm: makeImportForm({ ...deps, importRow }),
    offerImports: makeOfferImports({ ...deps, importRow }),
    bareVerbs: { export: makeExportFile(deps) },
  };
}
