/** Claims on lanes that hold longer than they say: those that end after `since` do until `until` at least. */
export type HeldClaims = { readonly since: Date; readonly until: Date };
