import { writeSync } from 'node:fs';
import { pino, stdTimeFunctions } from 'pino';
import { type LogFields, type Logger, logFields } from './lib/log.ts';

type LogOptions = {
  readonly level: string;
  /** Fields of every line, besides the process id. */
  readonly every?: { readonly version: string; readonly role: string } | undefined;
  /** Receives each line with its line break; writes to stdout by default. Must not throw. */
  readonly write?: ((line: string) => void) | undefined;
};

/** Limits in bytes of UTF-8, small enough that log collectors do not cut a line. */
const limits = { field: 1_024, fields: 6_500, stack: 360, message: 330, word: 48 };

/**
 * Creates a log that writes only the fields of `LogFields`, and no line over 8 kB. Of an error it writes the type, the code, where it was
 * thrown, and a message that is known to quote nothing from outside (see `isKnown`). It never writes what libraries attach to an error, such
 * as the request with its headers.
 */
export function makeLog({ level, every, write = makeLineWriter() }: LogOptions): Logger {
  const log = pino(
    {
      level,
      base: { ...every, pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
      // Pino's own serializer would serialize the result of `errorOf` a second time.
      serializers: { err: (error: unknown) => error },
    },
    { write },
  );
  const at = (of: 'debug' | 'info' | 'warn' | 'error' | 'fatal') => (fields: LogFields, message: string) =>
    log[of](shownOf(fields), shown(message));
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    isLevelEnabled: (asked) => log.isLevelEnabled(asked),
  };
}

/** Returns the fields that may be written, as long as they fit into the line. */
function shownOf(fields: LogFields): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let room = limits.fields;
  for (const [name, value] of Object.entries(fields)) {
    const type = Object.hasOwn(logFields, name) ? logFields[name as keyof LogFields] : null;
    if (type === null || value === undefined || (type !== 'error' && typeof value !== type)) continue;
    const plain = type === 'error' ? errorOf(value) : typeof value === 'string' ? shown(value) : value;
    room -= sizeOf(plain) + name.length + 4;
    if (room >= 0) kept[name] = plain;
  }
  return kept;
}

function errorOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  const frames = framesOf(error);
  return {
    type: shown(error.name, limits.word),
    ...(isKnown(error, frames)
      ? { message: shown(error.message, limits.message), ...word('reason', error) }
      : {}),
    ...word('code', error),
    ...word('status', error),
    ...slackWord(error),
    ...cause(error.cause ?? first),
    stack: cut(frames.join('\n'), limits.stack),
  };
}

const ofLanguage = new Set([
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);

/**
 * Returns whether an error's message quotes nothing from outside. Our own quote nothing, except those of the language, which quote values.
 * Postgres's quote nothing, except those of class 22, which quote the value that was refused. Other libraries quote requests, answers and
 * addresses.
 */
function isKnown(error: Error, [made = '']: readonly string[]): boolean {
  if (isFromPostgres(error)) return !error.code.startsWith('22');
  return !ofLanguage.has(error.name) && /^at (?:.+ \()?src\//.test(made);
}

function isFromPostgres(error: Error): error is Error & { readonly code: string } {
  return 'severity' in error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}

/** Describes a cause by type and code only. */
function cause(of: unknown): { cause?: string } {
  if (!(of instanceof Error)) return {};
  const code = 'code' in of ? ` ${String(of.code)}` : '';
  return { cause: shown(`${of.name}${code}`, limits.word) };
}

function word(name: string, error: Error): Record<string, unknown> {
  const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
  if (typeof value === 'number') return { [name]: value };
  return typeof value === 'string' ? { [name]: shown(value, limits.word) } : {};
}

/** Returns the word for what Slack refused. Its client puts a body that it cannot read in the same place (seen in 8.2.0). */
function slackWord(error: Error): { error?: string } {
  const data: unknown = 'data' in error ? error.data : null;
  const said: unknown = typeof data === 'object' && data !== null && 'error' in data ? data.error : null;
  return typeof said === 'string' && /^[a-z0-9_.]{1,80}$/.test(said) ? { error: said } : {};
}

const root = new URL('..', import.meta.url).href;

/** Returns the stack frames, without the leading lines that repeat the message and without the root folder that all paths share. */
function framesOf({ stack = '', message }: Error): string[] {
  const afterMessage = Math.max(0, stack.indexOf(message)) + message.length;
  return stack
    .slice(afterMessage)
    .split('\n')
    .filter((line) => /^\s+at .+:\d+:\d+\)?$/.test(line))
    .map((line) => line.trim().replace(root, '').replace(root.replace('file://', ''), ''));
}

/** Characters that move a terminal's cursor or change the text direction; JSON itself escapes those below U+0020. */
const unprintable = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns a text as a line shows it, in at most `most` bytes of JSON. */
function shown(text: string, most = limits.field): string {
  return cut(text.slice(0, most).replace(unprintable, '\ufffd'), most);
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

/** How often to retry a line when the reader of a pipe is slow, and the wait between tries in milliseconds. */
const patience = { tries: 20, ms: 5 };

/**
 * Returns a function that writes lines to a file descriptor. Lines that cannot be written (the reader is gone, the disk is full) are
 * dropped, counted, and reported once writing works again. Nothing is buffered and nothing is thrown: the bot must not stop because nobody
 * reads its log.
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
      // Do not retry for a reader that has not come back.
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
