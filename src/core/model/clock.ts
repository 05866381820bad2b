/** The source of the current time: the database's clock in production, a settable one in tests. */
export type Clock = { readonly now: () => Date };
