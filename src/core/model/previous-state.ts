/** What an item was before it was last renamed or moved, and when that happened, in ISO 8601; null if the service did not say. */
export type PreviousState = {
  readonly name: string | null;
  readonly path: string | null;
  readonly idPath: string | null;
  readonly changedAt: string | null;
};
