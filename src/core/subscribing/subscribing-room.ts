import { type FormHintsDeps, makeFormHints } from './form-hints.ts';
import { type FormPreviewDeps, makeFormPreview } from './form-preview.ts';
import { type KeptRequestsDeps, makeKeptRequests } from './kept-requests.ts';
import { makeShowForm, type ShowFormDeps } from './show-form.ts';
import { makeShowList, type ShowListDeps } from './show-list.ts';
import { makeSubscribe, type SubscribeDeps } from './subscribe.ts';
import { makeUndoUnsubscribe, type UndoUnsubscribeDeps } from './undo-unsubscribe.ts';
import { makeUnsubscribe, type UnsubscribeDeps } from './unsubscribe.ts';

type SubscribingRoomDeps = Omit<SubscribeDeps, 'keepRequest'> &
  UnsubscribeDeps &
  Omit<UndoUnsubscribeDeps, 'subscribe'> &
  ShowListDeps &
  Omit<ShowFormDeps, 'hintsFor' | 'previewForm'> &
  Omit<FormHintsDeps, 'mayPost'> &
  FormPreviewDeps & {
    /** Slack's answer, cached for at most half a minute: the form asks with every change of a field. */
    readonly recentlyMayPost: FormHintsDeps['mayPost'];
    readonly keptRequests: KeptRequestsDeps;
  };

export type SubscribingRoom = ReturnType<typeof makeSubscribingRoom>;

/** Composes what a channel subscribes to: adding, changing, listing and removing, by command and in the form. */
export function makeSubscribingRoom(deps: SubscribingRoomDeps) {
  const kept = makeKeptRequests(deps.keptRequests);
  const subscribe = makeSubscribe({ ...deps, keepRequest: kept.keep });
  const hintsFor = makeFormHints({ ...deps, mayPost: deps.recentlyMayPost });
  const previewForm = makeFormPreview(deps);
  return {
    subscribe,
    unsubscribe: makeUnsubscribe(deps),
    undoUnsubscribe: makeUndoUnsubscribe({ ...deps, subscribe }),
    showList: makeShowList(deps),
    showForm: makeShowForm({ ...deps, hintsFor, previewForm }),
    readRequest: kept.read,
    keepRequest: kept.keep,
  };
}
