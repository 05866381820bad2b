/** Lane claims that last longer than they say: claims that end after `since` last until `until` at least. */
export type HeldClaims = { readonly since: Date; readonly until: Date };
