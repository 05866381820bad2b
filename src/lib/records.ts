/** Values of one kind by key. Their time to live, if there is one, runs from the last `set`. */
export type Records<T> = {
  readonly get: (key: string) => Promise<T | undefined>;
  readonly set: (key: string, value: T) => Promise<void>;
  readonly delete: (key: string) => Promise<void>;
};
