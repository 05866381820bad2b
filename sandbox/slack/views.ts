import type { Changes } from './changes.ts';
import { withElementIds } from './element-ids.ts';
import { initially, keepsValue, type StateValues } from './element-values.ts';
import { findElements } from './find-elements.ts';
import type { Ids } from './ids.ts';
import { type Fields, fieldsListOf, stringOf } from './json.ts';
import { limits } from './limits.ts';

/** A modal or a Home tab as one person sees it. */
export interface View {
  id: string;
  teamId: string;
  userId: string;
  type: 'modal' | 'home';
  /** Changes with every update. */
  hash: string;
  title: unknown;
  submit: unknown;
  close: unknown;
  blocks: Fields[];
  privateMetadata: string;
  callbackId: string;
  externalId: string;
  clearOnClose: boolean;
  notifyOnClose: boolean;
  previousViewId: string | undefined;
  rootViewId: string;
  /** Where the person was when it opened. */
  channelId: string | undefined;
  /** What the person has entered so far; kept across updates if block id and action id stay the same. */
  typed: StateValues;
  /** Options last offered for an external select, by action id. */
  suggested: Map<string, Fields[]>;
  /** Errors the bot returned for the last submission, by block id. */
  errors: Record<string, string>;
  isOpen: boolean;
  updates: number;
}

export interface Viewer {
  teamId: string;
  userId: string;
  channelId?: string | undefined;
}

interface ViewsDeps {
  ids: Ids;
  changes: Changes;
}

/** The views on people's screens: a stack of modals and a Home tab per person and workspace. */
export function makeViews({ ids, changes }: ViewsDeps) {
  const all = new Map<string, View>();
  const stacks = new Map<string, View[]>();
  const homes = new Map<string, View>();
  const keyOf = ({ teamId, userId }: Viewer): string => `${teamId} ${userId}`;

  function fill(view: View, { title, submit, close, ...definition }: Fields): void {
    Object.assign(view, {
      title: title ?? null,
      submit: submit ?? null,
      close: close ?? null,
      blocks: withElementIds(fieldsListOf(definition.blocks), ids),
      privateMetadata: stringOf(definition.private_metadata) ?? '',
      callbackId: stringOf(definition.callback_id) ?? '',
      externalId: stringOf(definition.external_id) ?? '',
      clearOnClose: definition.clear_on_close === true,
      notifyOnClose: definition.notify_on_close === true,
      hash: `${ids.ts()}.${ids.secret()}`,
      errors: {},
    });
    changes.notify();
  }

  function create(viewer: Viewer, definition: Fields, above?: View): View {
    const id = ids.passing('V');
    const view: View = {
      id,
      teamId: viewer.teamId,
      userId: viewer.userId,
      type: definition.type === 'home' ? 'home' : 'modal',
      hash: '',
      title: null,
      submit: null,
      close: null,
      blocks: [],
      privateMetadata: '',
      callbackId: '',
      externalId: '',
      clearOnClose: false,
      notifyOnClose: false,
      previousViewId: above?.id,
      rootViewId: above?.rootViewId ?? id,
      channelId: viewer.channelId,
      typed: {},
      suggested: new Map(),
      errors: {},
      isOpen: true,
      updates: 0,
    };
    all.set(id, view);
    fill(view, definition);
    return view;
  }

  function stackOf(viewer: Viewer): View[] {
    return stacks.get(keyOf(viewer)) ?? [];
  }

  function keep(viewer: Viewer, stack: View[]): void {
    for (const view of stackOf(viewer)) view.isOpen = stack.includes(view);
    stacks.set(keyOf(viewer), stack);
    changes.notify();
  }

  return {
    /** Opens a modal instead of any the person had open. */
    open(viewer: Viewer, definition: Fields): View {
      const view = create(viewer, definition);
      keep(viewer, [view]);
      return view;
    },
    /** Pushes a modal. Returns undefined if three are open already, or none to push it on. */
    push(viewer: Viewer, definition: Fields): View | undefined {
      const stack = stackOf(viewer);
      const top = stack.at(-1);
      if (top === undefined || stack.length >= limits.viewStack) return undefined;
      const view = create(viewer, definition, top);
      keep(viewer, [...stack, view]);
      return view;
    },
    update(view: View, definition: Fields): void {
      view.updates += 1;
      fill(view, definition);
    },
    /** Publishes a Home tab. */
    publish(viewer: Viewer, definition: Fields): View {
      const shown = homes.get(keyOf(viewer));
      if (shown !== undefined) {
        shown.updates += 1;
        fill(shown, definition);
        return shown;
      }
      const view = create(viewer, definition);
      homes.set(keyOf(viewer), view);
      changes.notify();
      return view;
    },
    /** Closes the view and those above it; with `all`, every modal of the person. */
    close(view: View, { all: everything }: { all: boolean }): void {
      const stack = stackOf(view);
      keep(view, everything ? [] : stack.slice(0, Math.max(0, stack.indexOf(view))));
    },
    find: (id: string): View | undefined => all.get(id),
    byExternalId: (teamId: string, externalId: string): View | undefined =>
      [...all.values()].find(
        (view) => view.teamId === teamId && view.isOpen && view.externalId === externalId,
      ),
    stackOf,
    homeOf: (viewer: Viewer): View | undefined => homes.get(keyOf(viewer)),
    all: (): View[] => [...all.values()],
  };
}

export type Views = ReturnType<typeof makeViews>;

/** Returns the `state.values` of a view: what was entered, else the initial values. */
export function stateValues(view: View): StateValues {
  const values: StateValues = {};
  for (const { blockId, actionId, element } of findElements(view.blocks)) {
    if (!keepsValue(element)) continue;
    const typed = view.typed[blockId]?.[actionId];
    values[blockId] = { ...values[blockId], [actionId]: typed ?? initially(element, view.channelId) };
  }
  return values;
}
