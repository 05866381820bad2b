import type { Command } from '../../core/model/commands.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import { canBePersonal, type Request } from '../../core/model/request.ts';
import { expectNoChannel, type Here } from './channel-mention.ts';
import { type Cursor, isOneOf, makeCursor } from './cursor.ts';
import { before, Misunderstood, withExample } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList } from './option-rows.ts';
import { isPolite } from './politeness.ts';
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
  if (isPolite(first)) return new Misunderstood(first, expectedVerb, { meant: '' });
  // `/subscribe` after the branded command
  const command = /^\/(\p{L}+)$/u.exec(first.text)?.[1];
  const verbless = command === undefined && beginsTarget(first);
  const meant = verbless ? 'subscribe' : nearest(command ?? first.text, verbRows);
  const example = verbRows.find((known) => known.word === meant)?.examples[0] ?? 'help';
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
