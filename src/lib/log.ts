type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** What rooms need of the log; pino's fits. Fields hold ids and causes, never a secret, an e-mail address, a file name or a path. */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };
