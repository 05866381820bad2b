import type { Parsed } from '../../core/model/request.ts';
import { allInvisible, isUserId } from '../../core/model/typed-text.ts';
import { type Command, defaultNames } from '../../core/model/verbs.ts';
import { cleaned } from '../../lib/text.ts';
import { escapeEntities } from '../../messages/text/escape.ts';
import { readCommandName } from './command-names.ts';
import { makeLine, type ReadWith } from './line.ts';
import { readLine } from './read-line.ts';
import { type Part, readWords, typedLength } from './words.ts';

/** In characters, as typed. Longer ones are refused unread. */
const longestLine = 4_000;
const longestShownWord = 80;

/** Whether a line is too long to be read. `text`: as Slack sent it. */
export const isTooLong = (text: string): boolean => typedLength(text) > longestLine;

/** Parses what follows a slash command, as Slack sent it (escaped, with markup). Never throws. What was not typed stays undefined. */
export function parseCommand(command: Command, text: string, readWith: ReadWith = {}): Parsed {
  const source = cleaned(text).replace(allInvisible, '');
  const words = readWords(source);
  const line = makeLine(words, readWith);
  const { request, onlyShows, faults = [], choices = [], lacks = null } = readLine(line, command);
  const { leftOut, hasSlips } = line;
  const isWhole = leftOut.length === 0 && !hasSlips && faults.length === 0 && choices.length === 0;
  if (request && (onlyShows || isWhole)) return { ok: true, request };
  return {
    ok: false,
    mistake: {
      understood: request,
      // Nothing of a line without a command is understood.
      leftOut: (lacks === 'command' ? words : leftOut).map((part) => shown(part, source)).join(' '),
      faults: faults.map(({ option, value, expected }) => ({
        option,
        // Empty quotes are no value.
        value: value?.trim() ? shortened(value) : null,
        expected,
      })),
      choices,
      lacks,
    },
  };
}

/** Parses a whole command as people see it, under any of its names, or without a slash what follows `/plancast`. */
export function parseTyped(line: string, readWith: ReadWith = {}): Parsed {
  const [, name = '', rest = ''] = /^(\/\S+)\s*(.*)$/s.exec(line) ?? [];
  const { command } = readCommandName(name) ?? { command: 'plancast', names: defaultNames };
  return parseCommand(command, escapeEntities(name === '' ? line : rest), readWith);
}

/** Parses what follows the command to subscribe, as people see it. */
export function parseShown(text: string, readWith: ReadWith = {}): Parsed {
  return parseCommand('subscribe', escapeEntities(text.slice(0, longestLine)), readWith);
}

/** Returns a word as it was typed, shortened. */
function shown({ text, mark, start, end }: Part, source: string): string {
  // A mention without a label stays one, so that the answer can name the person.
  if (mark?.kind === 'person' && isUserId(mark.id) && text === `@${mark.id}`) return `<${text}>`;
  return shortened(text.trim() || source.slice(start, end));
}

function shortened(text: string): string {
  const characters = Array.from(text.slice(0, 2 * longestShownWord + 2).replace(/\p{Cc}/gu, ' '));
  return characters.length > longestShownWord
    ? `${characters.slice(0, longestShownWord).join('')}…`
    : characters.join('');
}
