type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * The part of a logger that the rooms use; a pino logger fits. Fields contain ids and causes, never a secret, an email address, a file name
 * or a path.
 */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };
