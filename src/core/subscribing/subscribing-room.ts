import { makeFormHints } from './form-hints.ts';
import { makeFormPreview } from './form-preview.ts';
import { makeShowForm } from './show-form.ts';
import type { SubscribingRoomDeps } from './subscribing-deps.ts';

export type SubscribingRoom = ReturnType<typeof makeSubscribingRoom>;

/** Composes the subscribe and edit form. */
export function makeSubscribingRoom(deps: SubscribingRoomDeps) {
  const hintsFor = makeFormHints(deps);
  const previewForm = makeFormPreview(deps);
  return { showForm: makeShowForm({ ...deps, hintsFor, previewForm }) };
}
