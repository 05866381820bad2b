/** Values of one kind by key. A time to live, where the kind has one, runs from the last `set`. */
export type Records<T> = {
  readonly get: (key: string) => Promise<T | undefined>;
  readonly set: (key: string, value: T) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};
