type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/**
 * The part of a logger that the rooms use; a pino logger fits. Fields contain ids and causes, never a secret, an email address, a file name
 * or a path.
 */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };

/** A log that also takes lines for debugging, and says whether it writes them: what goes into them may have to be looked up. */
export type DebugLog = Log & {
  readonly debug: Write;
  readonly isLevelEnabled: (level: 'debug') => boolean;
};
