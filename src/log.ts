import { writeSync } from 'node:fs';
import { type Logger, pino, stdTimeFunctions } from 'pino';

export type LogOptions = {
  readonly level: string;
  /** What stands in every line, beside the process id. */
  readonly every?: { readonly version: string; readonly role: string } | undefined;
  /** Texts that are replaced wherever they turn up, whatever they look like. */
  readonly secrets: readonly string[];
  /** Takes each line, with its line break; stdout by default. Never throws. */
  readonly write?: ((line: string) => void) | undefined;
};

/** The only fields that reach a line. Another one has to be added here, after a look at what it holds. */
const allowedFields: ReadonlySet<string> = new Set([
  'act',
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
  'signal',
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

/** In bytes of UTF-8. A line is what a collector of logs takes without cutting it. */
const limits = { field: 1_024, fields: 6_500, stack: 360, message: 330, word: 48 };

/**
 * A logger that lets out neither secrets nor more than a line of 8 kB. Fields that are not on the list are dropped, and every text is
 * looked through for what looks like a token, an e-mail address or one of `secrets`. Of an error come its kind, its message looked
 * through, its code and where it was thrown: never what libraries hang on it, such as the request with its headers.
 */
export function makeLog({ level, every, secrets, write = makeLineWriter() }: LogOptions): Logger {
  const hide = makeHide(secrets);
  const text = (value: string, most = limits.field): string => cut(hide(value), most);

  const fieldsOf = (fields: Record<string, unknown>): Record<string, unknown> => {
    const kept: Record<string, unknown> = {};
    let room = limits.fields;
    for (const [name, value] of Object.entries(fields)) {
      if (!allowedFields.has(name) || value === undefined) continue;
      const plain = name === 'err' ? errorOf(value, text) : plainOf(value, text);
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
        // Pino's own would take what `errorOf` returns for an error and serialize it again.
        err: (error: unknown) => error,
      },
      hooks: {
        // Without a message pino takes the error's, and it formats further arguments into the message.
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
      // Nobody knows what hangs on it.
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

/** A cause by its kind and code alone: the causes of network libraries hold requests and answers. */
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

/**
 * The message, without what it quotes where that comes from outside: V8 quotes the text that is no JSON, Postgres the value that it
 * cannot take (class 22 of its codes).
 */
function withoutQuotes(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const quotesInput = error instanceof SyntaxError || /^22\w{3}$/.test(code);
  return quotesInput ? error.message.replace(/["'].*["']/s, '…') : error.message;
}

const root = new URL('..', import.meta.url).href;

/** Where it was thrown, without the first lines, which repeat the message, and without what is the same in all paths. */
function framesOf({ stack = '', message }: Error): string {
  const behindMessage = Math.max(0, stack.indexOf(message)) + message.length;
  return stack
    .slice(behindMessage)
    .split('\n')
    .filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
    .map((line) => line.trim().replace(root, '').replace(root.replace('file://', ''), ''))
    .join('\n');
}

const hidden = '[hidden]';

/** What a text may hold that is nobody's business, by its look. */
const patterns: readonly RegExp[] = [
  // Slack: tokens begin with xox and a letter, or xapp.
  /\bx(?:ox[a-z]|app)[.-][\w.%-]+/g,
  /\b(?:bearer|basic)\s{1,3}[\w.~+/=-]+/gi,
  // User and password of an address.
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /(?<=[?&](?:code|state|token|ticket|key|secret|access_token|refresh_token)=)[^\s&"']+/gi,
  // RFC 5321: up to 64 characters, an @, and up to 255. Without limits the search would take the square of the text's length.
  /[^\s@<>"'(),;:]{1,64}@[^\s@<>"'(),;:]{1,255}/g,
];
/** Long enough for 120 bits in base64. */
const longRun = /[\w+/=-]{20,}/g;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Words of one case with joints between, such as Slack's errors and our folders, or the words of a name in camel case. */
const words = /^(?:[a-z]+(?:[_/-]+[a-z]+)*|[a-z]*(?:[A-Z][a-z]{2,})+|[A-Z]+(?:_[A-Z]+)*)$/;
/** Characters that move the cursor of a terminal or turn the text around; JSON escapes those below U+0020 by itself. */
const unseen = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function makeHide(secrets: readonly string[]): (value: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= 6)
    .toSorted((one, other) => other.length - one.length);
  return (value) => {
    // Looking through more than can be shown would be work for an attacker to give.
    let shown = value.slice(0, 4 * limits.field);
    for (const secret of known) shown = shown.replaceAll(secret, hidden);
    for (const pattern of patterns) shown = shown.replace(pattern, hidden);
    return shown
      .replace(longRun, (run, at: number) => (isHarmless(run) || isDerivedId(shown, at, run) ? run : hidden))
      .replace(unseen, '\ufffd');
  };
}

function isHarmless(run: string): boolean {
  return uuid.test(run) || words.test(run);
}

/** The id of a notification that came without one: half a hash of what was sent. */
function isDerivedId(text: string, at: number, run: string): boolean {
  return /^[0-9a-f]{32}$/.test(run) && text.slice(0, at).endsWith('derived:');
}

/** In bytes, as it stands in a line of JSON. */
function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The start of a text that takes at most so many bytes in JSON, with an ellipsis. */
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

/** So often a line is tried again when the reader of a pipe is slow, and how long it waits in between, in milliseconds. */
const patience = { tries: 20, ms: 5 };

/**
 * Writes lines to a file descriptor; where they cannot be written (the reader is gone, the disk is full) they are lost, counted, and
 * reported once writing works again. Nothing is kept in memory, and nothing is thrown: a bot does not end because nobody reads its log.
 */
export function makeLineWriter(fd = 1): (line: string) => void {
  let lost = 0;
  const pause = new Int32Array(new SharedArrayBuffer(4));

  const tryWrite = (line: string, tries: number): boolean => {
    let rest = Buffer.from(line);
    for (let left = tries; ; ) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
        if (rest.length === 0) return true;
      } catch (error) {
        if (!isBusy(error) || left-- === 0) return false;
        Atomics.wait(pause, 0, 0, patience.ms);
      }
    }
  };

  return (line) => {
    if (lost > 0) {
      // No patience with a reader that has not come back.
      const report = {
        level: 'warn',
        time: new Date().toISOString(),
        pid: process.pid,
        msg: `${lost} lines of the log could not be written`,
      };
      if (!tryWrite(`${JSON.stringify(report)}\n`, 0)) {
        lost += 1;
        return;
      }
      lost = 0;
    }
    if (!tryWrite(line, patience.tries)) lost += 1;
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
