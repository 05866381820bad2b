import { type Command, type CommandNames, commandLine, defaultNames } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import type { Mistake, Parsed } from '../../core/model/mistake.ts';
import type { Request } from '../../core/model/request.ts';
import { isUserId } from '../../core/model/typed-text.ts';
import { cleaned } from '../../lib/storable.ts';
import { escapeEntities } from '../../messages/text/escape.ts';
import { brandedNames } from './command-names.ts';
import { makeCursor } from './cursor.ts';
import { type Fault, Misunderstood, type Stretch } from './misunderstood.ts';
import { readLine, type Typist } from './read-line.ts';
import { withGroupedId } from './target.ts';
import type { Part } from './words.ts';
import { asSeen, fold, readWords } from './words.ts';

/** In characters. Longer ones are refused unread. */
export const longestLine = 4_000;
const longestShownWord = 80;
const longestCorrectedLine = 300;
/** Beyond that, a line is more than what one person mistyped, and reading it again and again takes time. */
const longestCorrected = 1_000;
/** The most mistakes to correct in one line. Beyond that, what was meant is anyone's guess. */
const mostCorrections = 6;

/**
 * Parses what a person typed after a slash command, exactly as Slack sent it (escaped, with marked-up links and mentions). Never throws.
 * What was not typed stays undefined in the request. The example in a mistake uses `names`, or only the branded command if that was
 * typed. `me` is the Slack user who typed it; without it, the word `me` is not understood. `here` is the channel they typed it in.
 */
export function parseCommand(
  command: Command,
  text: string,
  names: CommandNames = defaultNames,
  me: Typist['me'] = null,
  here: Typist['here'] = null,
): Parsed {
  const source = cleaned(text);
  const line: Line = { command, source, me, here };
  const reading = read(line);
  if ('request' in reading) return { ok: true, request: reading.request };
  const shown = command === 'plancast' ? brandedNames(names.plancast) : names;
  return { ok: false, mistake: toMistake(reading, line, shown) };
}

/** Returns the whole command as it was typed, if `text` was understood as this request: plain text that is not escaped. */
export function lineAsTyped(
  request: Request,
  { command, text, me }: { readonly command: Command; readonly text: string; readonly me: string },
  names: CommandNames,
): string {
  return commandLine(ownWords(request, { command, source: cleaned(text), me, here: null }), names);
}

type Line = Typist & { readonly command: Command; readonly source: string };
type Unread = { readonly fault: Fault; readonly after: Part | null };

function read({ command, source, me, here }: Line): { readonly request: Request } | Unread {
  const words = readWords(source);
  try {
    return { request: readLine(words, command, { me, here }) };
  } catch (error) {
    if (error instanceof Misunderstood) {
      const { word, at } = error.fault;
      // What is missing before `to me` is not missing after it.
      return { fault: error.fault, after: makeCursor(words, me).before(word ?? at ?? null) };
    }
    throw error;
  }
}

function toMistake({ fault, after }: Unread, line: Line, names: CommandNames): Mistake {
  const { word, expected, meant } = fault;
  const { source } = line;
  const corrected = corrections(fault, line);
  return {
    word: word && shown(word, source),
    after: after && shown(after, source),
    expected,
    meant: meant || undefined,
    example: commandLine(corrected?.words ?? fault.example ?? 'help', names),
    correction: fault.onlyShown ? null : (corrected?.request ?? null),
    leftOut: corrected?.leftOut ?? '',
  };
}

type Corrected = { readonly request: Request; readonly words: string; readonly leftOut: string };

/** Corrects every mistake in the person's own line; null if it is unclear what was meant by one of them. */
function corrections(first: Fault, line: Line): Corrected | null {
  let { source } = line;
  if (source.length > longestCorrected) return null;
  let fault = first;
  let understood: readonly { readonly typed: string; readonly meant: string }[] = [];
  for (let count = 0; count < mostCorrections; count += 1) {
    const { meant } = fault;
    if (meant === undefined) return null;
    const { start, end } = fault.at ?? fault.word ?? endOf(source);
    const typed = source.slice(start, end);
    understood = understood.filter((earlier) => meant !== '' || !typed.includes(earlier.meant));
    if (meant !== '') understood = [...understood, { typed, meant }];
    source = replaced(source, { start, end }, meant);
    const reading = read({ ...line, source });
    if ('request' in reading) {
      const { request } = reading;
      const words = ownWords(request, { ...line, source });
      const leftOut = missing(line.source, [...understood.map(({ typed }) => typed), source].join(' '));
      const isShort = Math.max(words.length, leftOut.length) <= longestCorrectedLine;
      return isShort ? { request, words, leftOut } : null;
    }
    fault = reading.fault;
  }
  return null;
}

/** Returns the words of one line that another does not have, as they were typed. */
function missing(source: string, other: string): string {
  const partsOf = (text: string) => readWords(text).flatMap(({ parts }) => parts);
  const left = Map.groupBy(partsOf(other), ({ text }) => fold(text));
  const parts = partsOf(source).filter(({ text }) => left.get(fold(text))?.pop() === undefined);
  return parts.map((part) => shown(part, source)).join(' ');
}

/**
 * Returns a line as the words to type after `/plancast`: the person's own, unless those would be read in another way when they are typed as
 * shown. Then they are the words of the request.
 */
function ownWords(request: Request, line: Line): string {
  const words = formatRequest(request);
  const seen = asSeen(line.source);
  const own = 'target' in request ? withGroupedId(seen, request.target) : seen;
  const again = read({ ...line, source: escapeEntities(own) });
  const isSame = 'request' in again && formatRequest(again.request) === words;
  if (!isSame || own === '' || own.length > longestCorrectedLine) return words;
  return line.command === 'plancast' ? own : `${line.command} ${own}`.trim();
}

/** Replaces a part of a line, with a space between words that would otherwise run together. */
function replaced(source: string, { start, end }: Stretch, meant: string): string {
  const [before, after] = [source.slice(0, start), source.slice(end)];
  return before + (/[^\s,]$/.test(before) ? ' ' : '') + meant + (/^[^\s,]/.test(after) ? ' ' : '') + after;
}

function endOf({ length }: string): Stretch {
  return { start: length, end: length };
}

function shown({ text, mark, start, end }: Part, source: string): string {
  // A mention without a label stays one, so that the answer can name the person.
  if (mark?.kind === 'person' && isUserId(mark.id) && text === `@${mark.id}`) return `<${text}>`;
  const typed = (text.trim() || source.slice(start, end)).replace(/\p{Cc}/gu, ' ');
  const characters = Array.from(typed.slice(0, 2 * longestShownWord + 2));
  return characters.length > longestShownWord
    ? `${characters.slice(0, longestShownWord).join('')}…`
    : characters.join('');
}
