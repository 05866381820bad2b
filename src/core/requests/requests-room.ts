import { makeAskAdmin } from './ask-admin.ts';
import { makeCarryOut, makeCarryOutAllowed, makeRequireAdmission } from './carry-out.ts';
import type { RequestsRoomDeps } from './requests-deps.ts';
import { makeSubmitForm } from './submit-form.ts';

export type RequestsRoom = ReturnType<typeof makeRequestsRoom>;

/** Composes the path of every request: who may ask, how often, and which room handles it. */
export function makeRequestsRoom(deps: RequestsRoomDeps) {
  const requireAdmission = makeRequireAdmission(deps);
  const carryOut = makeCarryOut({ ...deps, requireAdmission });
  const carryOutAllowed = makeCarryOutAllowed({ ...deps, requireAdmission });
  return {
    requireAdmission,
    carryOut,
    askAdmin: makeAskAdmin({ ...deps, carryOutAllowed }),
    submitForm: makeSubmitForm({ ...deps, carryOut }),
  };
}
