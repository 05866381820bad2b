/** What was started and is to be ended again, the last first. */
export type Undo = {
  /** What comes when everything was ended already is ended at once. */
  readonly add: (end: () => Promise<unknown>) => void;
  /** Ends everything; what fails does not keep the rest from ending. Asked again, waits for the same end. */
  readonly all: () => Promise<void>;
  /** Whether `all` was asked for. */
  readonly isOver: () => boolean;
};

/** A list of ends. @param failed called with each end that failed */
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
