import { readNineDigits } from '../../core/model/typed-text.ts';

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

/** The closing quotes for each opening quote. Keyboards that replace straight quotes do not always replace both. */
const closers: Readonly<Record<string, string>> = {
  '"': '"”',
  '“': '”"',
  '”': '”"',
  '„': '“”"',
  '«': '»',
  '»': '«',
  "'": "'’",
  '‘': "’'",
  '’': "’'",
  '‚': "‘’'",
};

/**
 * What a quotation looks like, by its opening quote: an unclosed one ends with the line. Its first group is what is quoted. A doubled closing
 * quote stands for the character itself, and a single one between letters is an apostrophe.
 */
const quotations = new Map(
  Object.entries(closers).map(([opener, closing]) => {
    const apostrophe = closing.includes('’') ? `|[${closing}](?=[\\p{L}\\p{N}])` : '';
    const inside = `([${closing}])\\2|[^${closing}\\n\\r\\u2028\\u2029]${apostrophe}`;
    return [opener, new RegExp(`${opener}((?:${inside})*)[${closing}]?`, 'uy')];
  }),
);
/** A path in backticks, as people mark code. Both must be on one line, with no other quote right inside. */
const ticked = /`+([^`\s"“”„«»'‘’‚][^`\n\r\u2028\u2029]*)`/y;
const spaces = /\s*/y;
/** Slack's markup. A `<` that a person typed arrives as `&lt;`. */
const marked = /<([^<>|\n\r]*)(?:\|([^<>\n\r]*))?>/y;
const character = /&(?:amp|lt|gt);|./suy;
const scheme = /^[a-z][a-z0-9+.-]{0,30}:/i;

/**
 * Splits the text of a slash command into words, in one pass. Resolves all kinds of quotes, Slack's markup and escapes, and stray backticks.
 * A quotation starts at the beginning of a word.
 *
 * @param source without invisible characters
 */
export function readWords(source: string): Word[] {
  const words: Word[] = [];
  // Elsewhere backticks are dropped, because people put them around the whole line.
  let ticksQuote = false;
  for (let at = after(source, 0, spaces); at < source.length; at = after(source, at, spaces)) {
    const word = wordAt(source, at, ticksQuote);
    at = word.end;
    if (word.parts.length === 0) continue;
    words.push(...(areIds(word.parts) ? word.parts.map(alone) : [word]));
    ticksQuote = word.quoted || word.folded === 'in';
  }
  return words;
}

/** Whether these are several ids, so that each is a word: a comma can also stand within one. */
const areIds = (parts: readonly Part[]): boolean =>
  parts.length > 1 && parts.every(({ text }) => readNineDigits(text) !== null);

const alone = (part: Part): Word => ({ ...part, parts: [part], folded: fold(part.text) });

function after(source: string, at: number, form: RegExp): number {
  form.lastIndex = at;
  return at + (form.exec(source)?.[0].length ?? 0);
}

function wordAt(source: string, start: number, ticksQuote: boolean): Word {
  const parts: Part[] = [];
  let ticks = ticksQuote;
  let part: Part = { ...noPart, start, end: start };
  let text = '';
  let braces = 0;
  let at = start;
  for (let char = source.charAt(at); char !== '' && !/\s/.test(char); char = source.charAt(at)) {
    const quotation = ['', '!'].includes(part.text) ? quotationAt(source, at, ticks) : null;
    const sign = quotation ? '' : char;
    const piece = quotation ?? pieceAt(source, at);
    at += piece.length;
    text += piece.text;
    // A backtick that starts no quotation means that no other in this word does, so a run of them takes linear time.
    ticks &&= sign !== '`';
    if (sign === ',' && braces === 0) {
      parts.push({ ...part, end: at - 1 });
      part = { ...noPart, start: at, end: at };
    } else part = extended(part, piece, quotation !== null);
    braces = Math.max(0, braces + (braceSteps[sign] ?? 0));
  }
  const found = [...parts, { ...part, end: at }].filter((each) => each.text !== '' || each.quoted);
  const [only, more] = found;
  const quoted = found.some((each) => each.quoted);
  const whole = only && !more ? only : { text, quoted, mark: null };
  return { ...whole, start, end: at, parts: found, folded: fold(whole.text) };
}

function extended(part: Part, { text, mark }: SourcePiece, isQuoted: boolean): Part {
  if (text === '' && !isQuoted) return part;
  const isFirst = part.text === '';
  return { ...part, text: part.text + text, quoted: part.quoted || isQuoted, mark: isFirst ? mark : null };
}

const braceSteps: Readonly<Record<string, number>> = { '{': 1, '}': -1 };
const noPart = { text: '', quoted: false, mark: null };

/** Normalizes a word for comparison with the grammar: ignores letter case, full-width forms and joiners. */
export function fold(text: string): string {
  if (text.length > 64) return text;
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .replace(/\u200C|\u200D|\uFE0F/g, '')
    .toLowerCase();
}

type SourcePiece = { readonly text: string; readonly mark: Mark | null; readonly length: number };

/** Reads the quotation that starts at `at`; null if none does. */
function quotationAt(source: string, at: number, ticksQuote: boolean): SourcePiece | null {
  const opener = source.charAt(at);
  const form = opener === '`' && ticksQuote ? ticked : quotations.get(opener);
  if (form === undefined) return null;
  form.lastIndex = at;
  const [{ length } = '', inside = ''] = form.exec(source) ?? [];
  if (length === 0) return null;
  const mark = markAt(inside, 0);
  if (mark?.length === inside.length) return { ...mark, length };
  let text = '';
  for (let from = 0; from < inside.length; ) {
    const piece = markAt(inside, from) ?? characterAt(inside, from);
    text += piece.text;
    const isDoubled = closers[opener]?.includes(piece.text) && inside.charAt(from + 1) === piece.text;
    from += isDoubled ? 2 : piece.length;
  }
  return { text, mark: null, length };
}

/** Reads what is next outside of quotations, where a backtick stands for nothing. */
function pieceAt(source: string, at: number): SourcePiece {
  if (source.charAt(at) === '`') return { text: '', mark: null, length: 1 };
  return markAt(source, at) ?? characterAt(source, at);
}

function characterAt(source: string, at: number): SourcePiece {
  const length = after(source, at, character) - at;
  return { text: decoded(source.slice(at, at + length)), mark: null, length };
}

/** Reads Slack's markup that starts at `at`; null if none does. */
function markAt(source: string, at: number): SourcePiece | null {
  marked.lastIndex = at;
  const [{ length } = '', first = '', second = ''] = marked.exec(source) ?? [];
  const [address, label] = [decoded(first), decoded(second)];
  const rest = address.slice(1);
  switch (address.charAt(0)) {
    case '@':
      return { text: `@${label.replace(/^@/, '') || rest}`, mark: { kind: 'person', id: rest }, length };
    case '#':
      return { text: `#${label || rest}`, mark: { kind: 'channel', id: rest }, length };
    case '!': {
      const id = /^subteam\^(\w+)$/.exec(rest)?.[1];
      if (id === undefined) return { text: label || `@${rest}`, mark: { kind: 'other' }, length };
      return { text: `@${label.replace(/^@/, '') || id}`, mark: { kind: 'group', id }, length };
    }
    default: {
      if (!scheme.test(address)) return null;
      const shown = label || address.replace(/^(?:mailto|tel):/i, '');
      return { text: shown, mark: { kind: 'link', url: address }, length };
    }
  }
}

/** Returns how long a text was when it was typed: without Slack's escapes, and without its markup of links and mentions. */
export function typedLength(text: string): number {
  const unmarked = text.replace(new RegExp(marked, 'g'), (_, address, label) => label ?? address);
  return decoded(unmarked).length;
}

/** Returns text without Slack's escapes, and with plain spaces. */
function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replace(/\s/g, ' ');
}
