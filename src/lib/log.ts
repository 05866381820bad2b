/**
 * All that a log line may contain besides its message, and the type of each value. Nothing else reaches the log. Before adding a field,
 * check what it can contain: ids, counts, and words of ours, of Slack or of Postgres, never a secret, an email address, a file name or a
 * path.
 */
export const logFields = {
  act: 'string',
  address: 'string',
  cause: 'string',
  channel: 'string',
  channels: 'number',
  chore: 'string',
  code: 'string',
  column: 'string',
  connections: 'number',
  enterprise: 'string',
  /** Anything that was thrown. Of this the log keeps only what it knows. */
  err: 'error',
  /** The word that Slack answers with. */
  error: 'string',
  events: 'string',
  failure: 'string',
  folder: 'string',
  installation: 'string',
  lanes: 'number',
  link: 'string',
  message: 'string',
  method: 'string',
  migration: 'string',
  ms: 'number',
  notifications: 'string',
  outcome: 'string',
  person: 'string',
  port: 'number',
  reason: 'string',
  record: 'string',
  records: 'number',
  reference: 'string',
  request: 'string',
  result: 'string',
  route: 'string',
  rule: 'string',
  serves: 'string',
  signal: 'string',
  skipped: 'number',
  slack: 'string',
  state: 'string',
  status: 'number',
  subscription: 'string',
  subscriptions: 'number',
  table: 'string',
  team: 'string',
  waiting: 'number',
  warning: 'string',
  wasLost: 'boolean',
  workspaces: 'number',
} as const;

type LogValues = { string: string; number: number; boolean: boolean; error: unknown };

/** The fields of a log line. */
export type LogFields = {
  readonly [Name in keyof typeof logFields]?: LogValues[(typeof logFields)[Name]] | null | undefined;
};

type Write = (fields: LogFields, message: string) => void;

/** The part of the log that the rooms use. */
export type Log = { readonly info: Write; readonly warn: Write; readonly error: Write };

/** A log that also takes lines for debugging, and says whether it writes them: what goes into them may have to be looked up. */
export type DebugLog = Log & {
  readonly debug: Write;
  readonly isLevelEnabled: (level: 'debug') => boolean;
};

/** The log of a process. */
export type Logger = DebugLog & { readonly fatal: Write };
