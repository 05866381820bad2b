/** A batch size that adapts to what the other side can handle. */
type BatchSize = {
  readonly current: () => number;
  /** Reduces the size to at most half of `asked`, which was too much. */
  readonly shrink: (asked: number) => void;
  /** Notes that `asked` succeeded; raises the size by 5 % if that was more than half of it. */
  readonly grow: (asked: number) => void;
};

/** Creates a batch size that starts at `most`, its upper limit. */
export function makeBatchSize(most: number): BatchSize {
  let size = most;
  return {
    current: () => size,
    shrink(asked) {
      size = Math.max(1, Math.floor(Math.min(size, asked) / 2));
    },
    grow(asked) {
      if (asked * 2 > size) size = Math.min(most, Math.ceil(size * 1.05));
    },
  };
}
