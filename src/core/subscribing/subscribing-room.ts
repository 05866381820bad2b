import { makeFormHints } from './form-hints.ts';
import { makeFormPreview } from './form-preview.ts';
import { makeKeptRequests } from './kept-requests.ts';
import { makeShowForm } from './show-form.ts';
import { makeSubscribe } from './subscribe.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';
import { makeUndoChange } from './undo-change.ts';
import { makeUndoUnsubscribe } from './undo-unsubscribe.ts';
import { makeUnsubscribe } from './unsubscribe.ts';

export type SubscribingRoom = ReturnType<typeof makeSubscribingRoom>;

/** Composes what a channel subscribes to: adding, changing, listing and removing, by command and in the form. */
export function makeSubscribingRoom(deps: SubscribingRoomDeps) {
  const kept = makeKeptRequests(deps.keptRequests);
  const subscribe = makeSubscribe({ ...deps, keepRequest: kept.keep });
  const hintsFor = makeFormHints(deps);
  const previewForm = makeFormPreview(deps);
  const unsubscribe = makeUnsubscribe(deps);
  return {
    subscribe,
    unsubscribe,
    undoChange: makeUndoChange({ ...deps, subscribe, unsubscribe }),
    undoUnsubscribe: makeUndoUnsubscribe({ ...deps, subscribe }),
    showForm: makeShowForm({ ...deps, hintsFor, previewForm }),
    readRequest: kept.read,
    keepRequest: kept.keep,
  };
}
