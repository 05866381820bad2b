import type { Command } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import { canBePersonal, type Request } from '../../core/model/request.ts';
import { type Cursor, isOneOf, makeCursor } from './cursor.ts';
import { before, Misunderstood, withExample } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList } from './option-rows.ts';
import { beginsTarget } from './target.ts';
import { type VerbRow, verbRows } from './verbs.ts';
import type { Part, Word } from './words.ts';

/** Who typed a line, and where. */
export type Typist = {
  /** The Slack user; null if there is none, so that `me` is not understood. */
  readonly me: string | null;
  readonly here: Here | null;
};

const expectedVerb = `one of ${verbRows.map(({ word }) => word).join(', ')}`;
const polite = ['please', 'pls', 'plz'];
const helpWords = 'help ? -h -help --help —help –help'.split(' ');

/**
 * Reads a whole line. A short command implies its verb; after the branded command, the line starts with the verb. Throws
 * `Misunderstood`.
 */
export function readLine(words: readonly Word[], command: Command, { me, here }: Typist): Request {
  const { rest, toMe } = withoutToMe(words);
  expectNoChannel(rest, here);
  const cursor = makeCursor(rest, me);
  if (toMe === null) return readWith(cursor, command);
  const request = beforeToMe(() => readWith(cursor, command), toMe);
  if (canBePersonal(request)) return { ...request, personal: true };
  const example = formatRequest(request);
  throw new Misunderstood(toMe, 'nothing more', { example, meant: '' });
}

/** Removes `to me`, which comes at the end or before an option. */
function withoutToMe(words: readonly Word[]): { readonly rest: readonly Word[]; readonly toMe: Part | null } {
  const at = words.findLastIndex((word, index) => {
    const [me, next] = [words[index + 1], words[index + 2]];
    return isOneOf(word, ['to']) && me && isOneOf(me, ['me']) && (next === undefined || endsList(next));
  });
  const [to, me] = [words[at], words[at + 1]];
  if (!to || !me) return { rest: words, toMe: null };
  return { rest: words.toSpliced(at, 2), toMe: { ...to, text: 'to me', end: me.end } };
}

/** If something is missing at the end of the line, reports it as missing before `to me`. */
function beforeToMe(reading: () => Request, toMe: Part): Request {
  try {
    return reading();
  } catch (error) {
    if (error instanceof Misunderstood && error.fault.word === null) {
      error.fault = { at: before(toMe), ...error.fault };
    }
    throw error;
  }
}

function readWith(cursor: Cursor, command: Command): Request {
  const row = verbRows.find(({ word }) => word === command);
  return row ? readRow(cursor, row) : readAnyVerb(cursor);
}

function readAnyVerb(cursor: Cursor): Request {
  const first = cursor.peek();
  if (!first || cursor.accept(...helpWords)) return readHelp(cursor);
  const row = verbRows.find(({ word }) => isOneOf(first, [word]));
  if (!row) throw unknownVerb(first);
  cursor.skip();
  return readRow(cursor, row);
}

function unknownVerb(first: Word): Misunderstood {
  if (isOneOf(first, polite)) return new Misunderstood(first, expectedVerb, { meant: '' });
  // `/subscribe` after the branded command
  const command = /^\/(\p{L}+)$/u.exec(first.text)?.[1];
  const verbless = command === undefined && beginsTarget(first);
  const meant = verbless ? 'subscribe' : nearest(command ?? first.text, verbRows);
  const example = meant === undefined ? 'help' : `help ${meant}`;
  // If the verb is missing, insert it in front instead of replacing a word.
  const at = verbless ? before(first) : first;
  return new Misunderstood(first, expectedVerb, { example, meant, at });
}

/** Reads the rest of a verb's line. Every verb also takes `help`. */
function readRow(cursor: Cursor, { word, read, examples: [example = word] }: VerbRow): Request {
  if (read === null) return readHelp(cursor);
  if (!cursor.peek(1) && cursor.accept(...helpWords)) return { act: 'help', topic: word };
  return withExample(example, () => read(cursor));
}

function readHelp(cursor: Cursor): Request {
  const word = cursor.peek();
  if (!word) return { act: 'help' };
  const topic = verbRows.find((row) => cursor.accept(row.word))?.word;
  if (!topic) {
    const meant = nearest(word.text, verbRows);
    throw new Misunderstood(word, expectedVerb, { example: 'help subscribe', meant });
  }
  cursor.expectEnd({ example: `help ${topic}` });
  return { act: 'help', topic };
}

/** The channel a line was typed in. Slack gives every private channel the same name. */
type Here = { readonly channelId: string; readonly name: string | null };

const prepositions = ['to', 'in', 'into', 'for', 'from', 'of'];

/**
 * Throws `Misunderstood` if a line names a channel, since every command is about the channel it is typed in. The corrected line has no
 * channel, and can be run if the channel was this one.
 */
function expectNoChannel(words: readonly Word[], here: Here | null): void {
  const at = words.findIndex((word, index) => namesChannel(word, words[index - 1] ?? null));
  const channel = words[at];
  if (!channel) return;
  const before = words[at - 1] ?? null;
  const from = before && isOneOf(before, prepositions) ? before : channel;
  const inPath = isOneOf(from, ['in']) ? ', or quotes around it if it is a folder' : '';
  const text = from === channel ? channel.text : `${from.text} ${channel.text}`;
  throw new Misunderstood(
    { ...channel, start: from.start, text },
    `no channel, since a command is for the channel it’s typed in${inPath}`,
    { meant: '', onlyShown: !isHere(channel, here) },
  );
}

/** Whether a word is a channel. Slack marks up the ones it knows; ids of items and names to show can look like others. */
function namesChannel(word: Word, before: Word | null): boolean {
  if (word.quoted || isOneOf(before, ['by', 'as'])) return false;
  if (word.mark?.kind === 'channel') return true;
  const looksLikeOne = /^#[\p{L}\p{N}_-]{1,80}$/u.test(word.text) && /\p{L}/u.test(word.text);
  return looksLikeOne && (word.text === word.text.toLowerCase() || isOneOf(before, prepositions));
}

function isHere({ mark, text }: Word, here: Here | null): boolean {
  if (here === null) return false;
  return mark?.kind === 'channel' ? mark.id === here.channelId : text.slice(1).toLowerCase() === here.name;
}
