import type { Command, CommandNames, Mistake } from '../../core/model/commands.ts';
import { commandLine, defaultNames } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import type { Request } from '../../core/model/request.ts';
import { brandedNames } from './command-names.ts';
import { makeCursor } from './cursor.ts';
import type { Fault } from './misunderstood.ts';
import { Misunderstood } from './misunderstood.ts';
import { readAnyVerb, readVerb } from './verbs.ts';
import type { Part } from './words.ts';
import { readWords } from './words.ts';

export type Parsed =
  | { readonly ok: true; readonly request: Request }
  | { readonly ok: false; readonly mistake: Mistake };

const longestShownWord = 80;
const longestCorrectedLine = 300;

/**
 * Understands what a person typed behind a slash command, exactly as Slack sent it (escaped, and with marked links and mentions).
 * Never throws. What was not typed stays undefined in the request. The example of a mistake uses `names`, or only the branded
 * command for who typed that one.
 */
export function parseCommand(command: Command, text: string, names: CommandNames = defaultNames): Parsed {
  const source = text.toWellFormed();
  const reading = read(command, source);
  if ('request' in reading) {
    return { ok: true, request: reading.request };
  }
  const shown = command === 'plancast' ? brandedNames(names.plancast) : names;
  return { ok: false, mistake: toMistake(reading, { command, source, names: shown }) };
}

type Unread = { readonly fault: Fault; readonly after: Part | null };

function read(command: Command, source: string): { readonly request: Request } | Unread {
  const cursor = makeCursor(readWords(source));
  try {
    return { request: command === 'plancast' ? readAnyVerb(cursor) : readVerb(cursor, command) };
  } catch (error) {
    if (error instanceof Misunderstood) {
      return { fault: error.fault, after: cursor.before(error.fault.word) };
    }
    throw error;
  }
}

function toMistake(
  { fault, after }: Unread,
  { command, source, names }: { command: Command; source: string; names: CommandNames },
): Mistake {
  const { word, expected, meant } = fault;
  return {
    word: word && shown(word, source),
    position: word?.start ?? source.length,
    after: after && shown(after, source),
    expected,
    meant,
    example: commandLine(repaired(fault, command, source) ?? fault.example, names),
  };
}

/** The person's own line with what was probably meant in it, if that is all it needs. */
function repaired({ word, meant }: Fault, command: Command, source: string): string | null {
  if (!word || meant === undefined) {
    return null;
  }
  const reading = read(command, `${source.slice(0, word.start)}${meant} ${source.slice(word.end)}`);
  const words = 'request' in reading ? formatRequest(reading.request) : '';
  return words !== '' && words.length <= longestCorrectedLine ? words : null;
}

function shown({ text, start, end }: Part, source: string): string {
  const typed = (text.trim() || source.slice(start, end)).replace(/\p{Cc}/gu, ' ');
  const characters = Array.from(typed.slice(0, 2 * longestShownWord + 2));
  return characters.length > longestShownWord
    ? `${characters.slice(0, longestShownWord).join('')}…`
    : characters.join('');
}
