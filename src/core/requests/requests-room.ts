import { minuteMs } from '../../lib/durations.ts';
import type { CommandTries } from '../../store/tables/command-tries.ts';
import type { Clock } from '../model/clock.ts';
import type { SlackPerson } from '../model/people.ts';
import { type AskAdminDeps, makeAskAdmin } from './ask-admin.ts';
import { type CarryOutDeps, makeCarryOut, makeCarryOutAllowed, makeRequireAdmission } from './carry-out.ts';
import { makeSubmitForm, type SubmitFormDeps } from './submit-form.ts';

type RequestsRoomDeps = Omit<CarryOutDeps, 'countCommand'> &
  Omit<AskAdminDeps, 'carryOutAllowed'> &
  Omit<SubmitFormDeps, 'carryOut'> & {
    readonly clock: Clock;
    readonly commandTries: Pick<CommandTries, 'take'>;
  };

const commandLimit = { most: 30, withinMs: minuteMs };

export type RequestsRoom = ReturnType<typeof makeRequestsRoom>;

/** Composes the path of every request: who may ask, how often, and which room handles it. */
export function makeRequestsRoom(deps: RequestsRoomDeps) {
  const countCommand = (person: SlackPerson) =>
    deps.commandTries.take(person, commandLimit, deps.clock.now());
  const carryOut = makeCarryOut({ ...deps, countCommand });
  const carryOutAllowed = makeCarryOutAllowed({ ...deps, countCommand });
  return {
    requireAdmission: makeRequireAdmission({ ...deps, countCommand }),
    carryOut,
    askAdmin: makeAskAdmin({ ...deps, carryOutAllowed }),
    submitForm: makeSubmitForm({ ...deps, carryOut }),
  };
}
