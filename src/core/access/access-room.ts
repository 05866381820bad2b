import type { AccessRoomDeps } from './access-deps.ts';
import { makeChangeSettings } from './change-settings.ts';
import { makePlaceOf } from './personal.ts';
import { makeWhoMay } from './who-may.ts';

export type AccessRoom = ReturnType<typeof makeAccessRoom>;

/** Composes who may do what, and the admins' settings for it. */
export function makeAccessRoom(deps: AccessRoomDeps) {
  const whoMay = makeWhoMay(deps);
  const changeSettings = makeChangeSettings({ ...deps, ...whoMay });
  return {
    ...whoMay,
    placeOf: makePlaceOf(deps),
    changeSettings,
    bareVerbs: { settings: changeSettings.show },
  };
}
