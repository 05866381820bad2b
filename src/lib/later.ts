import type { Log } from './log.ts';

/** Work that nobody waits for but a shutdown. */
export type Later = ReturnType<typeof makeLater>;

type Work = () => Promise<unknown>;

/** Makes the later work of one bot. */
export function makeLater(log: Pick<Log, 'warn'>, sleep: (milliseconds: number) => Promise<unknown>) {
  const { track, settled } = makeBackground();
  const oneAtATime = makeOneAtATime();
  const waiting = new Set<string>();
  let stopping = false;

  /** Starts work, unless the bot is stopping: the next round of a chore does it then. Logs an error with this message. */
  function run(work: Work, failure: string): void {
    if (stopping) return;
    void track(work().catch((error: unknown) => log.warn({ err: error }, failure)));
  }

  return {
    run,

    /** The same after a while, which no shutdown waits for. */
    runAfter(milliseconds: number, work: Work, failure: string): void {
      void sleep(milliseconds).then(() => run(work, failure));
    },

    /** The same for work that takes whatever there is to do when it starts: one of a name runs, and one waits for its end. */
    runOnce(name: string, work: Work, failure: string): void {
      if (waiting.has(name)) return;
      waiting.add(name);
      const next = () => {
        waiting.delete(name);
        return work();
      };
      run(() => oneAtATime(name, next), failure);
    },

    /** Lets a shutdown wait for work that somebody else starts and waits for. Returns it. */
    track,
    /** Settles once what is running has ended. */
    settled,
    /** Whether what takes long should end at its next step. */
    isStopping: (): boolean => stopping,

    /** Starts nothing more, and settles once what is running has ended. */
    async stop(): Promise<void> {
      stopping = true;
      await settled();
    },
  };
}

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

/** Runs work with the same key one at a time, within this process. Idle keys take no memory. */
export function makeOneAtATime(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const current = (before ?? Promise.resolve()).then(work, work);
    last.set(key, current);
    try {
      return await current;
    } finally {
      if (last.get(key) === current) last.delete(key);
    }
  };
}

/** Runs at most `most` pieces of work concurrently; the others wait in order. */
export function makeSlots(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = most;

  const enter = (): Promise<void> | undefined => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    return promise;
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
