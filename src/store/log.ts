type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What the store needs of a logger; pino's fits. Fields never hold a secret. */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };
