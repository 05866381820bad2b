import { isDataError, isTimedOut } from './error-code.ts';

type InBatchesDeps<Item> = {
  /** Processes several items at once; returns those it was done for. */
  readonly run: (items: readonly Item[]) => Promise<ReadonlySet<Item>>;
  /** Minimum time from the start of one batch to the start of the next, in milliseconds. */
  readonly gapMs: number;
  /** Maximum weight of a batch. */
  readonly most: number;
  /** The weight of one item, at least 1; 1 by default. */
  readonly weigh?: ((item: Item) => number) | undefined;
};

/** Monotonic time in milliseconds. */
const now = (): number => performance.now();

/**
 * Combines single items into batches: the first item starts a batch right away, and items added while it runs share the next one. Only one
 * batch runs at a time. After the database has timed out, batches are smaller for a while.
 * @returns a function that resolves to whether its item was done, and rejects if the item's batch failed
 */
export function makeInBatches<Item>(deps: InBatchesDeps<Item>): (item: Item) => Promise<boolean> {
  type WaitingItem = {
    readonly item: Item;
    readonly resolve: (done: boolean) => void;
    readonly reject: (error: unknown) => void;
  };
  const size = makeBatchSize(deps.most);
  const waiting: WaitingItem[] = [];
  let startedAt = Number.NEGATIVE_INFINITY;
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    const wait = startedAt + deps.gapMs - now();
    if (wait > 0) setTimeout(start, wait);
    // Items added in the same turn of the event loop join this batch.
    else setImmediate(start);
  }

  function start(): void {
    const batch = takeBatch();
    startedAt = now();
    void runBatch(batch).finally(() => {
      planned = false;
      if (waiting.length > 0) plan();
    });
  }

  /** Takes as many items as fit into a batch, and at least one. */
  function takeBatch(): readonly WaitingItem[] {
    let weight = 0;
    const end = waiting.findIndex((one, at) => {
      weight += weightOf(one);
      return at > 0 && weight > size.current();
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  function weightOf({ item }: WaitingItem): number {
    return deps.weigh?.(item) ?? 1;
  }

  async function runBatch(batch: readonly WaitingItem[]): Promise<void> {
    const weight = batch.reduce((sum, one) => sum + weightOf(one), 0);
    try {
      const done = await deps.run(batch.map(({ item }) => item));
      size.grow(weight);
      for (const { item, resolve } of batch) resolve(done.has(item));
    } catch (error) {
      if (isTimedOut(error)) size.shrink(weight);
      if (batch.length === 1 || !isDataError(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One item that cannot be stored must not keep the others from being stored.
      const half = Math.ceil(batch.length / 2);
      await runBatch(batch.slice(0, half));
      await runBatch(batch.slice(half));
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      plan();
    });
}

/** Creates a batch size that adapts to what the other side can handle. It starts at `most`, its upper limit. */
export function makeBatchSize(most: number) {
  let size = most;
  return {
    current: () => size,
    /** Reduces the size to at most half of `asked`, which was too much. */
    shrink(asked: number): void {
      size = Math.max(1, Math.floor(Math.min(size, asked) / 2));
    },
    /** Notes that `asked` succeeded; raises the size by 5 % if that was more than half of it. */
    grow(asked: number): void {
      if (asked * 2 > size) size = Math.min(most, Math.ceil(size * 1.05));
    },
  };
}
