/** A stack of cleanups: the last one added runs first. */
export type Undo = {
  /** Adds a cleanup. If everything was ended already, it runs immediately. */
  readonly add: (end: () => Promise<unknown>) => void;
  /** Runs all cleanups, even if some fail. Further calls wait for the same end. */
  readonly all: () => Promise<void>;
  /** Returns whether `all` was called. */
  readonly isOver: () => boolean;
};

/**
 * Creates a stack of cleanups.
 * @param failed called with each error of a cleanup
 */
export function makeUndo(failed: (error: unknown) => void): Undo {
  const ends: Array<() => Promise<unknown>> = [];
  let ending: Promise<void> | null = null;

  async function endAll(): Promise<void> {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end().catch(failed);
  }

  return {
    add(end) {
      ends.push(end);
      if (ending) ending = ending.then(endAll);
    },
    all() {
      ending ??= endAll();
      return ending;
    },
    isOver: () => ending !== null,
  };
}
