/** How much to ask for at once. */
export type BatchSize = {
  readonly current: () => number;
  /** So much was too much: from now on it is at most half of it. */
  readonly shrink: (asked: number) => void;
  /** So much was done. Where that was near to what is allowed, a little more is. */
  readonly grow: (asked: number) => void;
};

/** Finds out how much at once is not too much, `most` at first. */
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
