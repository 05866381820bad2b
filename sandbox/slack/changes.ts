/** Notifies listeners that something in the practice Slack has changed, without saying what. */
export function makeChanges() {
  const listeners = new Set<() => void>();
  let count = 0;
  return {
    /** How many changes there have been. */
    count: () => count,
    notify(): void {
      count += 1;
      for (const listener of [...listeners]) listener();
    },
    /** Calls `listener` on every change. Returns a function that stops it. */
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Changes = ReturnType<typeof makeChanges>;
