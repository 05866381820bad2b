/** What is remembered of an item between its events: its last name, its path including that name, and the ids along that path. */
export type Remembered = {
  readonly name: string | null;
  readonly path: string | null;
  readonly idPath: string | null;
};

/** What an item was before it was last renamed or moved, and when that happened, in ISO 8601; null if the service did not say. */
export type PreviousState = Remembered & { readonly changedAt: string | null };
