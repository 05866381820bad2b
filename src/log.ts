import { type Logger, pino, stdTimeFunctions } from 'pino';
import { makeLineWriter } from './lib/line-writer.ts';

type LogOptions = {
  readonly level: string;
  /** Fields of every line, besides the process id. */
  readonly every?: { readonly version: string; readonly role: string } | undefined;
  /** Texts that are redacted wherever they appear, whatever they look like. */
  readonly secrets: readonly string[];
  /** Receives each line with its line break; writes to stdout by default. Must not throw. */
  readonly write?: ((line: string) => void) | undefined;
};

/** Allowlist: only these fields reach a log line. Before adding one, check what it can contain. */
const allowedFields: ReadonlySet<string> = new Set([
  'act',
  'address',
  'cause',
  'channel',
  'channels',
  'chore',
  'code',
  'column',
  'commit',
  'connections',
  'enterprise',
  'err',
  'error',
  'event',
  'events',
  'failure',
  'folder',
  'fsync',
  'installation',
  'lanes',
  'link',
  'message',
  'method',
  'migration',
  'ms',
  'notifications',
  'outcome',
  'person',
  'port',
  'reason',
  'record',
  'records',
  'reference',
  'request',
  'result',
  'role',
  'route',
  'rule',
  'serves',
  'signal',
  'skipped',
  'slack',
  'state',
  'status',
  'subscription',
  'subscriptions',
  'table',
  'team',
  'warning',
  'wasLost',
  'workspaces',
]);

/** Limits in bytes of UTF-8, small enough that log collectors do not cut a line. */
const limits = { field: 1_024, fields: 6_500, stack: 360, message: 330, word: 48 };

/**
 * Creates a logger that writes no secrets and no line over 8 kB. It drops fields that are not on the allowlist, and redacts whatever looks
 * like a token, an email address or one of `secrets`. Of an error it logs the type, the redacted message, the code and where it was
 * thrown, never what libraries attach to it, such as the request with its headers.
 */
export function makeLog({ level, every, secrets, write = makeLineWriter() }: LogOptions): Logger {
  const hide = makeHide(secrets);
  const text: Text = (value, most = limits.field) => cut(hide(value), most);
  const migrationText: Text = (value, most = limits.field) => cut(hide(value, isMigration), most);

  const shownIn = (name: string, value: unknown): unknown => {
    if (name === 'err') return errorOf(value, text);
    // A host name can look like a token.
    if (name === 'address' || name === 'serves') return plainOf(value, (url) => hide(url, () => true));
    return plainOf(value, name === 'migration' ? migrationText : text);
  };

  const fieldsOf = (fields: Record<string, unknown>): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    let room = limits.fields;
    for (const [name, value] of Object.entries(fields)) {
      if (!allowedFields.has(name) || value === undefined) continue;
      const plain = shownIn(name, value);
      room -= sizeOf(plain) + name.length + 4;
      if (room >= 0) kept[name] = plain;
    }
    return kept;
  };

  return pino(
    {
      level,
      base: { ...every, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }), log: fieldsOf },
      serializers: {
        msg: (message: unknown) => text(String(message)),
        // Pino's own serializer would serialize the result of `errorOf` a second time.
        err: (error: unknown) => error,
      },
      hooks: {
        // Overrides two pino defaults: it takes a missing message from the error, and formats further arguments into the message.
        logMethod([fields, message], method) {
          if (typeof fields === 'string') return method.call(this, fields);
          const named = (fields as unknown) instanceof Error ? { err: fields } : fields;
          return method.call(this, named, typeof message === 'string' ? message : '');
        },
      },
    },
    { write },
  );
}

type Text = (value: string, most?: number) => string;

function plainOf(value: unknown, text: Text): unknown {
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return value;
    case 'string':
      return text(value);
    case 'object':
      // Its contents are unknown.
      return value === null ? null : '[object]';
    default:
      return text(String(value));
  }
}

function errorOf(error: unknown, text: Text): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return {
    type: text(error.name, limits.word),
    message: text(withoutQuotes(error), limits.message),
    ...word('code', error, text),
    ...word('status', error, text),
    ...word('reason', error, text),
    ...cause(error.cause ?? first, text),
    stack: cut(framesOf(error), limits.stack),
  };
}

/** Describes a cause by type and code only: causes from network libraries contain requests and responses. */
function cause(of: unknown, text: Text): { cause?: string } {
  if (!(of instanceof Error)) return {};
  const code = 'code' in of ? ` ${String(of.code)}` : '';
  return { cause: text(`${of.name}${code}`, limits.word) };
}

function word(name: string, error: Error, text: Text): Record<string, unknown> {
  const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  if (typeof value === 'number') return { [name]: value };
  return typeof value === 'string' ? { [name]: text(value, limits.word) } : {};
}

const unreadByClient = /^An API error occurred: (?![a-z0-9_.]{0,80}$)/;

/**
 * Returns the message without text that it quotes from outside: V8 quotes invalid JSON, Postgres quotes the value it cannot accept (error
 * class 22), and Slack's client quotes the whole of a body that it cannot read, in place of an error's name (seen in 8.2.0).
 */
function withoutQuotes(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (unreadByClient.test(error.message)) return 'An API error occurred: …';
  const quotesInput = error instanceof SyntaxError || /^22\w{3}$/.test(code);
  return quotesInput ? error.message.replace(/["'].*["']/s, '…') : error.message;
}

const root = new URL('..', import.meta.url).href;

/** Returns the stack frames, without the leading lines that repeat the message and without the root folder that all paths share. */
function framesOf({ stack = '', message }: Error): string {
  const afterMessage = Math.max(0, stack.indexOf(message)) + message.length;
  return stack
    .slice(afterMessage)
    .split('\n')
    .filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
    .map((line) => line.trim().replace(root, '').replace(root.replace('file://', ''), ''))
    .join('\n');
}

const hidden = '[hidden]';

/** Patterns of sensitive text. */
const patterns: readonly RegExp[] = [
  // Slack: tokens begin with xox and a letter, or xapp.
  /\bx(?:ox[a-z]|app)[.-][\w.%-]+/g,
  /\b(?:bearer|basic)\s{1,3}[\w.~+/=-]+/gi,
  // User and password in a URL.
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /(?<=[?&](?:code|state|token|ticket|key|secret|access_token|refresh_token)=)[^\s&"']+/gi,
  // RFC 5321: up to 64 characters, an @, and up to 255. Without limits the search would take quadratic time.
  /[^\s@<>"'(),;:]{1,64}@[^\s@<>"'(),;:]{1,255}/g,
];
/** Long enough for 120 bits in base64. */
const longRun = /[\w+/=-]{20,}/g;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Words in one case with separators, such as Slack's error codes and our folder names, or a camel-case name. */
const words = /^(?:[a-z]+(?:[_/-]+[a-z]+)*|[a-z]*(?:[A-Z][a-z]{2,})+|[A-Z]+(?:_[A-Z]+)*)$/;
/** The name of a migration, of this release or a newer one. Shown in the field `migration` only. */
const migrationName = /^\d{4}(?:-[a-z]+)+$/;
/** Characters that move a terminal's cursor or change the text direction; JSON itself escapes those below U+0020. */
const unseen = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Redacts a text. `isShown`: which of its long runs are no secrets. */
type Hide = (value: string, isShown?: (run: string) => boolean) => string;

function makeHide(secrets: readonly string[]): Hide {
  const known = secrets
    .filter((secret) => secret.length >= 6)
    .toSorted((one, other) => other.length - one.length);
  return (value, isShown = isHarmless) => {
    // Do not search more than can be shown: an attacker could make that expensive.
    let shown = value.slice(0, 4 * limits.field);
    for (const secret of known) shown = shown.replaceAll(secret, hidden);
    for (const pattern of patterns) shown = shown.replace(pattern, hidden);
    return shown
      .replace(longRun, (run, at: number) => (isShown(run) || isDerivedId(shown, at, run) ? run : hidden))
      .replace(unseen, '\ufffd');
  };
}

function isHarmless(run: string): boolean {
  return uuid.test(run) || words.test(run);
}

function isMigration(run: string): boolean {
  return migrationName.test(run);
}

/** Whether a run is the id derived for a notification that arrived without one: half of a hash of its content. */
function isDerivedId(text: string, at: number, run: string): boolean {
  return /^[0-9a-f]{32}$/.test(run) && text.slice(0, at).endsWith('derived:');
}

/** Returns the size of a value as JSON, in bytes. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Shortens a text to at most `most` bytes of JSON, ending in an ellipsis. */
function cut(value: string, most: number): string {
  if (value.length * 6 <= most || sizeOf(value) <= most) return value;
  let size = sizeOf('…');
  let end = 0;
  for (const character of value) {
    size += sizeOf(character) - 2;
    if (size > most) break;
    end += character.length;
  }
  return `${value.slice(0, end)}…`;
}
