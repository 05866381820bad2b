/** Who of a workspace's full members may have a channel follow something, and change or remove that. Admins always may. */
export type Subscribers =
  | { readonly kind: 'everyone' }
  | { readonly kind: 'admins' }
  | { readonly kind: 'people'; readonly userIds: readonly string[] };

/** What the admins of a workspace chose for all of it. */
export type WorkspaceSettings = {
  readonly subscribers: Subscribers;
  /** Projects that may be followed, with what is in them; empty for all. Sessions are not limited by it. */
  readonly projects: readonly string[];
  /** Whether activity messages start with the sign of what happened. */
  readonly signs: boolean;
};
