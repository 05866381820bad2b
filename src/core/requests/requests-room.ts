import { makeAskAdmin } from './ask-admin.ts';
import {
  type CarryOutRequest,
  makeCarryOut,
  makeCarryOutAllowed,
  makeRequireAdmission,
} from './carry-out.ts';
import type { RequestsRoomDeps } from './requests-deps.ts';
import { makeSubmitForm } from './submit-form.ts';

export type RequestsRoom = ReturnType<typeof makeRequestsRoom>;

/** Composes the path of every request: who may ask, how often, and which room handles it. */
export function makeRequestsRoom(deps: RequestsRoomDeps) {
  const requireAdmission = makeRequireAdmission(deps);
  const carryOutAdmitted = makeCarryOut(deps);
  const carryOut: CarryOutRequest = async (context, ...asked) => {
    await requireAdmission(context);
    return carryOutAdmitted(context, ...asked);
  };
  const carryOutAllowed = makeCarryOutAllowed({ ...deps, requireAdmission });
  return {
    requireAdmission,
    carryOut,
    /** Where the person was admitted before what they typed was read. */
    carryOutAdmitted,
    askAdmin: makeAskAdmin({ ...deps, carryOutAllowed }),
    submitForm: makeSubmitForm({ ...deps, carryOut: carryOutAdmitted }),
  };
}
