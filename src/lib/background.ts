/** Keeps track of work that nobody waits for, so that its end can be awaited when the bot stops. */
export function makeBackground() {
  const underWay = new Set<Promise<unknown>>();
  return {
    /** Adds work, and returns it. */
    track<T>(work: Promise<T>): Promise<T> {
      const done = work.finally(() => underWay.delete(done));
      underWay.add(done);
      return done;
    },

    /** Settles once all of it has ended, including what it added meanwhile. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
  };
}
