import { code, escapeForMrkdwn, escapeForText, type Limit, plain } from './escape.ts';
import { howManyFit, limits } from './limits.ts';

/**
 * A sentence before it is written out. Bare strings are this bot's own words and go out as they are; whatever came from outside is
 * a piece that says what it is, so that it is escaped for the place it ends up in.
 */
export type Phrase = readonly Piece[];

type Piece =
  | string
  | {
      readonly as: 'person' | 'strong' | 'item' | 'quoted' | 'plain' | 'sentence' | 'typed';
      readonly of: string;
    }
  | { readonly as: 'place'; readonly of: readonly string[] }
  | { readonly as: 'link'; readonly of: string; readonly url: string }
  | { readonly as: 'eye'; readonly of: string; readonly ear: string }
  | { readonly as: 'channel'; readonly of: string }
  | { readonly as: 'time'; readonly of: Date; readonly show: TimeDetail };

type TimeDetail = 'day and clock' | 'clock' | 'day';

/** A person's name; a plain name and never a mention, because mentions ping. */
export const person = (of: string): Piece => ({ as: 'person', of });
/** The name of something big, or a figure: bold. */
export const strong = (of: string): Piece => ({ as: 'strong', of });
/** The name of a file, a folder or the like: as code, so that it ends where it ends and nothing in it is formatted. */
export const item = (of: string): Piece => ({ as: 'item', of });
/** A word of another's, in quotation marks. */
export const quoted = (of: string): Piece => ({ as: 'quoted', of });
/** Text from outside with nothing around it. */
export const plainly = (of: string): Piece => ({ as: 'plain', of });
/** As `plainly`, for whole sentences. */
export const sentence = (of: string): Piece => ({ as: 'sentence', of });
/** Something to type or to tell apart by: a command, an id, a glob. */
export const typed = (of: string): Piece => ({ as: 'typed', of });
/** As `item`, and opens an https address. Where nothing can be opened (`inText`, `inPlain`) it is the name alone. */
export const link = (of: string, url: string): Piece =>
  url.length <= limits.linkUrl ? { as: 'link', of, url } : item(of);
/** Our own characters for the eye, such as a sign or an arrow, and the words a screen reader says instead. */
export const forEye = (of: string, ear: string): Piece => ({ as: 'eye', of, ear });
/** Folder names from the root down. */
export const place = (of: readonly string[]): Piece => ({ as: 'place', of });
/** A channel by its id; Slack shows its name to those who may see it. */
export const channel = (of: string): Piece => ({ as: 'channel', of });
/** A moment, in the reader's own time zone. */
export const time = (of: Date): Piece => ({ as: 'time', of, show: 'day and clock' });
/** As `time`, without the day. */
export const clock = (of: Date): Piece => ({ as: 'time', of, show: 'clock' });
/** As `time`, the day alone. */
export const day = (of: Date): Piece => ({ as: 'time', of, show: 'day' });

const typedLimit: Limit = { shown: limits.path, sent: limits.pathEscaped };
const sentenceLimit: Limit = { shown: limits.sentence, sent: limits.sentenceEscaped };

/** For a mrkdwn text object with `verbatim: true`. Too long a phrase ends in an ellipsis, between two pieces. */
export function inMrkdwn(phrase: Phrase, max: number = limits.sectionText): string {
  return written(phrase, mrkdwnOf, max);
}

/** For a message's `text`, which notifications show and screen readers read: no formatting, names in quotation marks, what is to be typed as code. */
export function inText(phrase: Phrase, max: number = limits.text): string {
  return written(phrase, textOf, max);
}

/** For plain_text objects and for anything outside Slack that escapes by itself. */
export function inPlain(phrase: Phrase, max: number = limits.sectionText): string {
  return written(phrase, plainOf, max);
}

/** Puts something between phrases: `joined([a, b, c], ', ', ' and ')` is "a, b and c". */
export function joined(phrases: readonly Phrase[], between: string, last = between): Phrase {
  return phrases.flatMap((phrase, index) => {
    if (index === 0) return phrase;
    return [index === phrases.length - 1 ? last : between, ...phrase];
  });
}

/** With a capital first letter, where the phrase begins with words of ours. */
export function capital(phrase: Phrase): Phrase {
  const [first, ...rest] = phrase;
  return typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest] : phrase;
}

/** "1 file", "24 files", "1,000 files". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

type Marked = Exclude<Piece, string>;

/** Never cuts within a piece: half an entity or half a date would show as rubbish. */
function written(phrase: Phrase, write: (piece: Marked) => string, max: number): string {
  const pieces = phrase.map((piece) => (typeof piece === 'string' ? piece : write(piece)));
  const whole = pieces.join('');
  if (whole.length <= max) return whole;
  const taken = howManyFit(
    pieces.map((piece) => piece.length),
    max,
    '…'.length,
  );
  return `${pieces.slice(0, taken).join('')}…`;
}

function mrkdwnOf(piece: Marked): string {
  switch (piece.as) {
    case 'person':
    case 'strong':
      return `*${escapeForMrkdwn(piece.of)}*`;
    case 'item':
      return code(piece.of);
    case 'link':
      return linkTo(piece.url, piece.of);
    case 'eye':
      return piece.of;
    case 'typed':
      return code(piece.of, typedLimit);
    case 'quoted':
      return `“${escapeForMrkdwn(piece.of)}”`;
    case 'plain':
    case 'place':
      return escapeForMrkdwn(piece.of);
    case 'sentence':
      return escapeForMrkdwn(piece.of, sentenceLimit);
    case 'channel':
      return channelLink(piece.of);
    case 'time':
      return dateToken(piece.of, piece.show);
  }
}

function textOf(piece: Marked): string {
  switch (piece.as) {
    case 'item':
    case 'link':
    case 'quoted':
      return `“${escapeForText(piece.of)}”`;
    case 'eye':
      return piece.ear;
    case 'typed':
      // As code here too: what is to be typed is copied, and must not carry the invisible characters that break up formatting.
      return code(piece.of, typedLimit);
    case 'sentence':
      return escapeForText(piece.of, sentenceLimit);
    case 'person':
    case 'strong':
    case 'plain':
    case 'place':
      return escapeForText(piece.of);
    case 'channel':
      return channelLink(piece.of);
    case 'time':
      return dateToken(piece.of, piece.show);
  }
}

function plainOf(piece: Marked): string {
  switch (piece.as) {
    case 'item':
    case 'link':
    case 'quoted':
      return `“${plain(piece.of)}”`;
    case 'eye':
      return piece.ear;
    case 'typed':
      return plain(piece.of, typedLimit.shown);
    case 'sentence':
      return plain(piece.of, sentenceLimit.shown);
    case 'person':
    case 'strong':
    case 'plain':
    case 'place':
      return plain(piece.of);
    case 'channel':
      return 'the channel';
    case 'time':
      return inUtc(piece.of, piece.show);
  }
}

/** In a label Slack reads neither a second bar nor the end of the link (Slack, formatting text: links). */
function linkTo(url: string, label: string): string {
  const address = url.replace(/[<>|\s]/gu, encodeURIComponent).replaceAll('&', '&amp;');
  return `<${address}|${escapeForMrkdwn(label).replaceAll('|', '¦')}>`;
}

/** Slack's ids are capital letters and digits; anything else is not from Slack and must not become markup. */
function channelLink(id: string): string {
  // Slack has no link to a direct message, and only its two people see the words.
  if (id.startsWith('D')) return 'your direct messages with me';
  return /^[A-Z0-9]{2,30}$/.test(id) ? `<#${id}>` : 'another channel';
}

/** Slack's dates are seconds since 1970 in the reader's zone; the fallback, for clients without them, names its own. */
function dateToken(at: Date, show: TimeDetail): string {
  const seconds = Math.floor(at.getTime() / 1000);
  if (!(seconds > 0 && seconds < 10_000_000_000)) return inUtc(at, show);
  return `<!date^${seconds}^${formats[show]}|${inUtc(at, show)}>`;
}

const formats: Record<TimeDetail, string> = {
  'day and clock': '{date_short_pretty} at {time}',
  clock: '{time}',
  day: '{date_short}',
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

function inUtc(at: Date, show: TimeDetail): string {
  if (Number.isNaN(at.getTime())) return 'at an unknown time';
  const clockText = `${twoDigits(at.getUTCHours())}:${twoDigits(at.getUTCMinutes())} UTC`;
  if (show === 'clock') return clockText;
  const dayText = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return show === 'day' ? dayText : `${dayText}, ${clockText}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
