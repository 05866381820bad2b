/** Where the time comes from: the database's clock in a running bot, a settable one in tests. */
export type Clock = { readonly now: () => Date };
