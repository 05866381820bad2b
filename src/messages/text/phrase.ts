import type { Mentioned } from '../../core/model/subscription.ts';
import { code, escapeForMrkdwn, escapeForText, holdsFormatting, type Limit, plain } from './escape.ts';
import { howManyFit, limits } from './limits.ts';

/**
 * A sentence before it is rendered. Bare strings are the bot's own words and are rendered unchanged. Text from outside is a piece that
 * says what it is, so that it is escaped for the place where it ends up.
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
  | { readonly as: 'mention'; readonly of: Mentioned }
  | { readonly as: 'time'; readonly of: Date; readonly show: TimeDetail };

/** A piece that is not the bot's own words. */
export type Marked = Exclude<Piece, string>;

type TimeDetail = 'day and clock' | 'clock' | 'day';

/** A person's name. Never a mention, because mentions ping. */
export const person = (of: string): Marked => ({ as: 'person', of });
/** A name or a figure in bold. */
export const strong = (of: string): Marked => ({ as: 'strong', of });
/** The name of an item, such as a file or folder: bold, or code if it holds a character that formats. */
export const item = (of: string): Marked => ({ as: 'item', of });
/** A word from outside, in quotation marks. */
export const quoted = (of: string): Marked => ({ as: 'quoted', of });
/** Text from outside, with nothing around it. */
export const plainly = (of: string): Marked => ({ as: 'plain', of });
/** Like `plainly`, for whole sentences. */
export const sentence = (of: string): Marked => ({ as: 'sentence', of });
/** Something to type, or an identifier: a command, an id, a glob. */
export const typed = (of: string): Marked => ({ as: 'typed', of });
/** Like `item`, but links to an https URL. Where links do not work (`inText`, `inPlain`) it is only the name. */
export const link = (of: string, url: string): Marked =>
  url.length <= limits.linkUrl ? { as: 'link', of, url } : item(of);
/** A symbol of our own, such as a sign or an arrow, and the words that a screen reader says instead. */
export const forEye = (of: string, ear: string): Marked => ({ as: 'eye', of, ear });
/** Folder names from the root down. */
export const place = (of: readonly string[]): Marked => ({ as: 'place', of });
/** A live mention, which pings. Nothing else does, and only `inMrkdwn` writes it. */
export const mention = (of: Mentioned): Marked => ({ as: 'mention', of });
/** A channel by its id; Slack shows its name to people who may see it. */
export const channel = (of: string): Marked => ({ as: 'channel', of });
/** A moment, in the reader's own time zone. */
export const time = (of: Date): Marked => ({ as: 'time', of, show: 'day and clock' });
/** Like `time`, without the day. */
export const clock = (of: Date): Marked => ({ as: 'time', of, show: 'clock' });
/** Like `time`, only the day. */
export const day = (of: Date): Marked => ({ as: 'time', of, show: 'day' });

const typedLimit: Limit = { shown: limits.path, sent: limits.pathEscaped };
const sentenceLimit: Limit = { shown: limits.sentence, sent: limits.sentenceEscaped };

/** Renders a phrase for a mrkdwn object with `verbatim: true`. A phrase that is too long is cut between pieces, with an ellipsis. */
export function inMrkdwn(phrase: Phrase, max: number = limits.sectionText): string {
  return written(phrase, 'mrkdwn', max);
}

/** Renders a phrase for a message's `text`, for notifications and screen readers: no formatting, names in quotes, text to type as code. */
export function inText(phrase: Phrase, max: number = limits.text): string {
  return written(phrase, 'text', max);
}

/** Renders a phrase for plain_text objects, and for anything outside Slack that does its own escaping. */
export function inPlain(phrase: Phrase, max: number = limits.sectionText): string {
  return written(phrase, 'plain', max);
}

declare const own: unique symbol;
/** Text that this file made of the bot's own words. */
type OwnText = string & { readonly [own]: true };

/** Refuses strings that are not literals in the code, such as `string` and `a ${string}`: they could come from outside. */
export type OwnWords<Values> = { [Index in keyof Values]: OwnWord<Values[Index]> };
/** Only a type that contains text which is not known yet makes a `Record` without required keys. */
type OwnWord<Value> = Value extends string
  ? Record<never, never> extends Record<Exclude<Value, OwnText>, 1>
    ? Extract<Value, OwnText>
    : Value
  : Value;

/** What can stand in a sentence. */
export type Sayable = Piece | Phrase | number;

/**
 * Writes a phrase as a sentence: "say`${whoIs(by)} paused ${describeTarget(subscribed)}.`". Text from outside must be a piece: the compiler
 * accepts a bare string only if its words are in the code. Numbers are written as "1,000".
 */
export function say<const Values extends readonly Sayable[]>(
  words: TemplateStringsArray,
  ...values: Values & OwnWords<Values>
): Phrase {
  const pieces: Piece[] = [];
  let own = words[0] ?? '';
  for (const [index, value] of values.entries()) {
    const next = words[index + 1] ?? '';
    if (typeof value === 'string') own += value + next;
    else if (typeof value === 'number') own += grouped(value) + next;
    else {
      if (own !== '') pieces.push(own);
      pieces.push(...('as' in value ? [value] : value));
      own = next;
    }
  }
  return own === '' ? pieces : [...pieces, own];
}

/** Joins phrases: `joined([a, b, c], ', ', ' and ')` is "a, b and c". */
export function joined(phrases: readonly Phrase[], between: string, last = between): Phrase {
  return phrases.flatMap((phrase, index) => {
    if (index === 0) return phrase;
    return [index === phrases.length - 1 ? last : between, ...phrase];
  });
}

/** Puts a phrase without names of its own in bold. */
export function inBold(phrase: Phrase): Phrase {
  return [forEye('*', ''), ...phrase, forEye('*', '')];
}

/** Capitalizes the first letter, if the phrase starts with the bot's own words. */
export function capital(phrase: Phrase): Phrase {
  const [first, ...rest] = phrase;
  return typeof first === 'string' ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest] : phrase;
}

/** Writes a whole number as "1,000". With `toLocaleString('en')`, Node reads the tables of all languages, which stay in memory (6 MB). */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Returns "1 file", "24 files", "1,000 files". */
export function counted(count: number, one: string, many = `${one}s`): OwnText {
  return `${grouped(count)} ${count === 1 ? one : many}` as OwnText;
}

/** Returns the line "… and 3 more changes", or "… and 3 more", that ends a list; none if everything is listed. */
export function andMore(count: number, noun?: string): Phrase[] {
  if (count <= 0) return [];
  return [noun === undefined ? say`… and ${count} more` : say`… and ${counted(count, `more ${noun}`)}`];
}

/** Renders a phrase, never cutting within a piece: half an entity or half a date would show as garbage. */
function written(phrase: Phrase, into: Rendering, max: number): string {
  const pieces = phrase.map((piece) => (typeof piece === 'string' ? piece : pieceIn(into, piece)));
  const whole = pieces.join('');
  if (whole.length <= max) return whole;
  const taken = howManyFit(
    pieces.map((piece) => piece.length),
    max,
    '…'.length,
  );
  return `${pieces.slice(0, taken).join('')}…`;
}

/** Where a phrase is shown: in a mrkdwn object, a message's `text`, or anywhere that is not interpreted. */
type Rendering = 'mrkdwn' | 'text' | 'plain';

const escapes = {
  mrkdwn: escapeForMrkdwn,
  text: escapeForText,
  plain: (value: string | readonly string[], limit?: Limit) => plain(value, limit?.shown),
} as const;

function pieceIn(target: Rendering, piece: Marked): string {
  const write = escapes[target];
  const isMrkdwn = target === 'mrkdwn';
  switch (piece.as) {
    case 'person':
    case 'strong':
      return isMrkdwn ? `*${write(piece.of)}*` : write(piece.of);
    case 'item':
      return isMrkdwn ? named(piece.of) : `“${write(piece.of)}”`;
    case 'link':
      return isMrkdwn ? linkTo(piece.url, piece.of) : `“${write(piece.of)}”`;
    case 'quoted':
      return `“${write(piece.of)}”`;
    case 'plain':
    case 'place':
      return write(piece.of);
    case 'sentence':
      return write(piece.of, sentenceLimit);
    case 'eye':
      return isMrkdwn ? piece.of : piece.ear;
    case 'typed':
      // Code in `text` too: people copy what they have to type, so it must not contain the invisible characters that break up formatting.
      return target === 'plain' ? write(piece.of, typedLimit) : code(piece.of, typedLimit);
    case 'mention':
      return mentionIn(target, piece.of);
    case 'channel':
      return channelIn(target, piece.of);
    case 'time':
      return target === 'plain' ? inUtc(piece.of, piece.show) : dateToken(piece.of, piece.show);
  }
}

function named(name: string): string {
  return holdsFormatting(name) ? code(name) : `*${escapeForMrkdwn(name)}*`;
}

/** Makes a link. Slack does not allow a bar or the end of a link in its label (Slack docs: formatting text, links). */
function linkTo(url: string, label: string): string {
  const address = url.replace(/[<>|\s]/gu, encodeURIComponent).replaceAll('&', '&amp;');
  return `<${address}|${escapeForMrkdwn(label).replaceAll('|', '¦')}>`;
}

/** Returns nothing for what is no id of Slack's, such as a broadcast. */
function mentionIn(target: Rendering, { kind, id }: Mentioned): string {
  const isId = (kind === 'user' ? /^[UW][A-Z0-9]{2,29}$/ : /^S[A-Z0-9]{2,29}$/).test(id);
  if (target !== 'mrkdwn' || !isId) return '';
  return kind === 'user' ? `<@${id}>` : `<!subteam^${id}>`;
}

/** Slack's ids are capital letters and digits; anything else is not from Slack and must not become markup. */
function channelIn(target: Rendering, id: string): string {
  if (target === 'plain') return 'the channel';
  // Slack has no link to a direct message, and only the two people in it see these words.
  if (id.startsWith('D')) return 'your direct messages with me';
  return /^[A-Z0-9]{2,30}$/.test(id) ? `<#${id}>` : 'another channel';
}

/** Makes a date that Slack shows in the reader's time zone, from seconds since 1970. The fallback, for older clients, names its own zone. */
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
  const clockText = `${at.toISOString().slice(-13, -8)} UTC`;
  if (show === 'clock') return clockText;
  const dayText = `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
  return show === 'day' ? dayText : `${dayText}, ${clockText}`;
}
