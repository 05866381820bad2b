import { knownZone } from '../../core/model/time-zone.ts';
import { isRoot } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import { eventTypeOf, nearestEventType } from './event-types.ts';
import { before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, exampleWith, optionNames, optionRows } from './option-rows.ts';
import { insideFolder } from './paths.ts';
import { personOf } from './people.ts';
import { isDay, isDayByTime, looksLikeTime, workingWeekAhead } from './time.ts';
import type { Word } from './words.ts';

/** Words among the options that carry no meaning. */
const fillers = [
  'please',
  'the',
  'a',
  'an',
  'and',
  'with',
  'for',
  'all',
  'everything',
  'on',
  'at',
  'every',
  'each',
  'to',
  '*',
  '**',
];

/** Makes the error for a word that is not an option, with what was probably meant. */
export function unknownOption(cursor: Cursor, word: Word, kind: string): Misunderstood {
  if (looksLikeTime(cursor.last()) && knownZone(word.text) === word.text) {
    const expected = 'no time zone: times are in the one of your Slack profile';
    return new Misunderstood({ word, expected, example: exampleWith('digest daily 09:00'), meant: '' });
  }
  const week = workingWeekAhead(cursor);
  if (week || (followsDigest(cursor) && isDayByTime(word))) {
    const expected = 'weekdays, or nothing for every day';
    const example = exampleWith('digest daily 09:00 weekdays');
    return new Misunderstood({ word, expected, example, meant: week ? 'weekdays' : '', at: week ?? word });
  }
  const hasContents = kind !== 'file' && kind !== 'document';
  const names = optionNames.filter((name) => hasContents || name !== 'itself');
  const found = meaningOf(cursor, word, kind);
  const option = optionRows.find((known) => found?.meant.startsWith(known.word));
  return new Misunderstood({
    word,
    expected: `${names.join(', ')} or to me`,
    example: exampleWith(option?.example ?? 'only added,deleted'),
    ...found,
  });
}

/** Whether the word before is the end of a digest. */
function followsDigest(cursor: Cursor): boolean {
  return isOneOf(cursor.last(), ['weekdays', 'hourly']) || looksLikeTime(cursor.last());
}

type Meaning = { readonly meant: string; readonly at?: Stretch; readonly madeUp?: boolean };

function meaningOf(cursor: Cursor, word: Word, kind: string): Meaning | null {
  const missing = missingOption(cursor, word);
  if (missing !== null) return { meant: missing, at: before(word) };
  if (isOneOf(word, fillers) || isDay(word) || isRoot(word.text)) return { meant: '' };
  if (/[*/]/.test(word.text)) return { meant: insideFolder(word.text) };
  const near = word.quoted ? undefined : nearest(word.text, optionRows);
  if (near !== undefined) return { meant: near };
  if (looksLikeTime(word)) return { meant: 'digest daily', at: before(word) };
  if (!word.quoted && nearestEventType(word.text) !== undefined) return { meant: 'only', at: before(word) };
  return kind === 'project' || kind === 'folder' ? folderMeant(cursor, word) : null;
}

/** Returns the option that this word is an argument of, if only the option itself is missing. */
function missingOption(cursor: Cursor, word: Word): string | null {
  const [first] = word.parts;
  if (!first) return null;
  if (eventTypeOf(first)) return 'only';
  // Also an `@dana` that Slack did not turn into a mention.
  if (personOf(first, cursor.me) || /^@\p{L}/u.test(word.text)) return 'by';
  if (isOneOf(word, ['off']) && followsDigest(cursor)) return 'digest';
  return isOneOf(word, ['hourly', 'daily', 'weekly', 'monthly', 'nightly']) ? 'digest' : null;
}

/** Reads the words as a folder name that was not put in quotes. */
function folderMeant(cursor: Cursor, word: Word): Meaning | null {
  const words = word.quoted ? [word] : cursor.ahead((next) => endsList(next) || next.quoted);
  const name = words.map(({ text }) => text).join(' ');
  const last = words.at(-1) ?? word;
  // Digits alone are more likely half an id.
  if (!/\p{L}/u.test(name)) return null;
  return { meant: insideFolder(name), at: { start: word.start, end: last.end } };
}
