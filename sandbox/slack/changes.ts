/** Notifies listeners that something in the practice Slack has changed. They look up what. */
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
    /** Calls `listener` at every change. Returns the function that ends it. */
    listen(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Changes = ReturnType<typeof makeChanges>;
