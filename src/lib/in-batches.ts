import { makeBatchSize } from './batch-size.ts';
import { isDataError, isTimedOut } from './error-code.ts';

export type InBatchesDeps<Item> = {
  /** Does what is asked of several at once; gives those it was done for. */
  readonly run: (items: readonly Item[]) => Promise<ReadonlySet<Item>>;
  /** From the start of one batch to the start of the next, in milliseconds. */
  readonly gapMs: number;
  /** What one batch may weigh. */
  readonly most: number;
  /** The weight of one item, at least 1. Without it, each weighs 1. */
  readonly weigh?: ((item: Item) => number) | undefined;
};

/** Milliseconds of a clock that never jumps. */
const now = (): number => performance.now();

/**
 * Has what many ask for done together: the first goes at once, and what is asked for meanwhile shares the next batch. One batch is
 * under way at a time. After one that the database had no time for, they are smaller for a while.
 * @returns a function that settles with whether it was done for its item, and rejects where its batch failed
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
    // What is asked for in the same turn of the event loop comes along.
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

  /** As many as a batch may hold, and one at least. */
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
      // What cannot be stored of one must not keep the others from it.
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
