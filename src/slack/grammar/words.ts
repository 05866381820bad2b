import { invisible, withoutInvisible } from '../../core/model/typed-text.ts';

/** What Slack's markup for a link, a mention or a channel stands for (`should_escape` of slash commands). */
type Mark =
  | { readonly kind: 'link'; readonly url: string }
  | { readonly kind: 'person' | 'channel' | 'group'; readonly id: string }
  | { readonly kind: 'other' };

/** A piece of the typed text; `start` and `end` are its position in the source. */
export type Part = {
  /** As the person saw it when typing: without quotes, and with the label of a link instead of Slack's markup. */
  readonly text: string;
  readonly quoted: boolean;
  /** Set if the whole part is one mark. */
  readonly mark: Mark | null;
  readonly start: number;
  readonly end: number;
};

/** The text between two spaces, and its parts between commas. */
export type Word = Part & {
  readonly parts: readonly Part[];
  /** The text as `fold` returns it. */
  readonly folded: string;
};

type QuotedPiece = { readonly text: string; readonly mark: Mark | null; readonly end: number };

/** The closing quotes for each opening quote. Keyboards that replace straight quotes do not always replace both. */
const closers = new Map([
  ['"', '"”'],
  ['“', '”"'],
  ['”', '”"'],
  ['„', '“”"'],
  ['«', '»'],
  ['»', '«'],
  ["'", "'’"],
  ['‘', "’'"],
  ['’', "’'"],
  ['‚', "‘’'"],
]);

const lineEnd = /[\n\r\u2028\u2029]/;
const entities = [
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
] as const;
const scheme = /^[a-z][a-z0-9+.-]{0,30}:/i;

/**
 * Splits the text of a slash command into words, in one pass. Resolves all kinds of quotes, Slack's markup and escapes, no-break and
 * zero-width spaces, and stray backticks. A quotation starts at the beginning of a word; an unclosed one ends with the line; a doubled
 * closing quote stands for the character itself.
 */
export function readWords(source: string): Word[] {
  const words: Word[] = [];
  let at = 0;
  let ticksQuote = false;
  while (at < source.length) {
    if (isSpace(source.charAt(at))) {
      at += 1;
      continue;
    }
    const reading = startWord(at, ticksQuote);
    at = readWord(source, reading);
    const word = finishWord(reading, at);
    if (word.parts.length > 0) {
      words.push(word);
      ticksQuote = word.quoted || word.folded === 'in';
    }
  }
  return words;
}

/** Normalizes a word for comparison with the grammar: ignores letter case, full-width forms and joiners. */
export function fold(text: string): string {
  if (text.length > 64) return text;
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .replace(/\u200C|\u200D|\uFE0F/g, '')
    .toLowerCase();
}

type Reading = {
  text: string;
  parts: Part[];
  start: number;
  /** The part being read. */
  part: { text: string; quoted: boolean; mark: Mark | null; start: number };
  /** Whether a backtick is a quote here. Elsewhere it is dropped, because people put backticks around the whole line. */
  ticksQuote: boolean;
  braces: number;
};

function startWord(at: number, ticksQuote: boolean): Reading {
  const part = { text: '', quoted: false, mark: null, start: at };
  return { text: '', parts: [], start: at, part, ticksQuote, braces: 0 };
}

function readWord(source: string, reading: Reading): number {
  let at = reading.start;
  while (at < source.length) {
    const char = source.charAt(at);
    if (isSpace(char)) break;
    at = isInvisible(char) ? at + 1 : readPiece(source, at, reading);
  }
  return at;
}

function readPiece(source: string, at: number, reading: Reading): number {
  const char = source.charAt(at);
  const { part } = reading;
  const opens = part.text === '' || part.text === '!';
  const quotation = opens ? readQuotation(source, at, reading.ticksQuote) : null;
  if (quotation) {
    part.quoted = true;
    return take(reading, quotation);
  }
  if (char === '`') {
    // A backtick that starts no quotation means that no other in this word does, so a run of them takes linear time.
    reading.ticksQuote = false;
    return at + 1;
  }
  if (char === ',' && reading.braces === 0) {
    finishPart(reading, at);
    reading.text += char;
    reading.part = { text: '', quoted: false, mark: null, start: at + 1 };
    return at + 1;
  }
  if (char === '{') {
    reading.braces += 1;
  } else if (char === '}' && reading.braces > 0) {
    reading.braces -= 1;
  }
  return take(reading, readMark(source, at) ?? readChar(source, at));
}

function take(reading: Reading, piece: QuotedPiece): number {
  const { part } = reading;
  part.mark = part.text === '' ? piece.mark : null;
  part.text += piece.text;
  reading.text += piece.text;
  return piece.end;
}

function finishPart(reading: Reading, end: number): void {
  if (reading.part.text !== '' || reading.part.quoted) {
    reading.parts.push({ ...reading.part, end });
  }
}

function finishWord(reading: Reading, end: number): Word {
  finishPart(reading, end);
  const { text, parts, start } = reading;
  const [only, more] = parts;
  if (only && !more) return { ...only, start, end, parts, folded: fold(only.text) };
  const quoted = parts.some((part) => part.quoted);
  return { text, quoted, mark: null, start, end, parts, folded: fold(text) };
}

/** Reads the quotation that starts at `at`; null if none does. */
function readQuotation(source: string, at: number, ticksQuote: boolean): QuotedPiece | null {
  const opener = source.charAt(at);
  if (opener === '`') return ticksQuote ? readTicks(source, at) : null;
  const closing = closers.get(opener);
  if (closing === undefined) return null;
  let text = '';
  let mark: Mark | null = null;
  let end = at + 1;
  while (end < source.length && !lineEnd.test(source.charAt(end))) {
    const closes = closingAt(source, end, closing);
    if (closes === 'closed') return { text, mark, end: end + 1 };
    const from = closes === 'doubled' ? end + 1 : end;
    const piece = readMark(source, from) ?? readChar(source, from);
    mark = text === '' ? piece.mark : null;
    text += piece.text;
    end = piece.end;
  }
  return { text, mark, end };
}

function closingAt(source: string, at: number, closing: string): 'closed' | 'doubled' | 'inside' {
  const char = source.charAt(at);
  const next = source.charAt(at + 1);
  if (!closing.includes(char)) return 'inside';
  if (next === char) return 'doubled';
  // A single quote between letters is an apostrophe.
  return closing.includes('’') && /[\p{L}\p{N}]/u.test(next) ? 'inside' : 'closed';
}

/** Reads a path in backticks, as people mark code. Both backticks must be on one line, with no other quote right inside. */
function readTicks(source: string, at: number): QuotedPiece | null {
  let from = at;
  while (source.charAt(from) === '`') {
    from += 1;
  }
  const first = source.charAt(from);
  if (isSpace(first) || closers.has(first)) return null;
  let text = '';
  let end = from;
  while (end < source.length && !lineEnd.test(source.charAt(end))) {
    if (source.charAt(end) === '`') return { text, mark: null, end: end + 1 };
    const piece = readMark(source, end) ?? readChar(source, end);
    text += piece.text;
    end = piece.end;
  }
  return null;
}

function readChar(source: string, at: number): QuotedPiece {
  const char = source.charAt(at);
  const found = char === '&' ? entities.find(([escaped]) => source.startsWith(escaped, at)) : undefined;
  if (found) return { text: found[1], mark: null, end: at + found[0].length };
  const text = isInvisible(char) ? '' : isSpace(char) ? ' ' : char;
  return { text, mark: null, end: at + 1 };
}

/** Reads Slack's markup that starts at `at`; null if none does. A `<` that a person typed arrives as `&lt;`. */
function readMark(source: string, at: number): QuotedPiece | null {
  if (source.charAt(at) !== '<') return null;
  let end = at + 1;
  while (end < source.length && !/[<>\n\r]/.test(source.charAt(end))) {
    end += 1;
  }
  if (source.charAt(end) !== '>') return null;
  const body = source.slice(at + 1, end);
  const bar = body.indexOf('|');
  const address = clean(bar === -1 ? body : body.slice(0, bar));
  const label = bar === -1 ? '' : clean(body.slice(bar + 1));
  const found = markOf(address, label);
  return found && { ...found, end: end + 1 };
}

function markOf(address: string, label: string): { text: string; mark: Mark } | null {
  const rest = address.slice(1);
  switch (address.charAt(0)) {
    case '@':
      return { text: `@${label.replace(/^@/, '') || rest}`, mark: { kind: 'person', id: rest } };
    case '#':
      return { text: `#${label || rest}`, mark: { kind: 'channel', id: rest } };
    case '!': {
      const group = /^subteam\^(\w+)$/.exec(rest)?.[1];
      if (group === undefined) return { text: label || `@${rest}`, mark: { kind: 'other' } };
      return { text: `@${label.replace(/^@/, '') || group}`, mark: { kind: 'group', id: group } };
    }
    default:
  }
  if (!scheme.test(address)) return null;
  const shown = label || address.replace(/^(?:mailto|tel):/i, '');
  return { text: shown, mark: { kind: 'link', url: address } };
}

function clean(text: string): string {
  return withoutInvisible(text.replace(/&(?:amp|lt|gt);/g, (escaped) => readChar(escaped, 0).text));
}

function isSpace(char: string): boolean {
  return char <= ' ' ? /\s/.test(char) : char > '~' && /\s/.test(char) && !invisible.test(char);
}

function isInvisible(char: string): boolean {
  return char > '~' && invisible.test(char);
}
