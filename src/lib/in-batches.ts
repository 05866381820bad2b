export type InBatchesDeps<Item> = {
  /** Does what is asked of several at once; gives those it was done for. */
  readonly run: (items: readonly Item[]) => Promise<ReadonlySet<Item>>;
  /** From the start of one batch to the start of the next, in milliseconds. */
  readonly gapMs: number;
  /** Whether a failure lies in what was asked, so that each is worth a try of its own. */
  readonly isAboutData: (error: unknown) => boolean;
};

/** Milliseconds of a clock that never jumps. */
const now = (): number => performance.now();

/**
 * Has what many ask for done together: the first goes at once, and what is asked for meanwhile shares the next batch. One batch is
 * under way at a time.
 * @returns a function that settles with whether it was done for its item, and rejects where its batch failed
 */
export function makeInBatches<Item>(deps: InBatchesDeps<Item>): (item: Item) => Promise<boolean> {
  type WaitingItem = {
    readonly item: Item;
    readonly resolve: (done: boolean) => void;
    readonly reject: (error: unknown) => void;
  };
  let waiting: WaitingItem[] = [];
  let startedAt = Number.NEGATIVE_INFINITY;
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    const wait = startedAt + deps.gapMs - now();
    if (wait > 0) setTimeout(start, wait);
    // What is asked for in the same turn of the event loop comes along.
    else setImmediate(start);
  }

  function start(): void {
    const batch = waiting;
    waiting = [];
    startedAt = now();
    void runBatch(batch).finally(() => {
      planned = false;
      if (waiting.length > 0) plan();
    });
  }

  async function runBatch(batch: readonly WaitingItem[]): Promise<void> {
    try {
      const done = await deps.run(batch.map(({ item }) => item));
      for (const { item, resolve } of batch) resolve(done.has(item));
    } catch (error) {
      if (batch.length === 1 || !deps.isAboutData(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // What cannot be stored of one must not keep the others from it.
      for (const one of batch) await runBatch([one]);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      plan();
    });
}
