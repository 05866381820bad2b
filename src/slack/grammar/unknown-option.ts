import { knownZone } from '../../core/model/time-zone.ts';
import { isRoot } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf, nearestEventType, typesIn } from './event-types.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, exampleWith, optionNames, optionRows } from './option-rows.ts';
import { insideFolder } from './paths.ts';
import { personOf } from './people.ts';
import { isPolite } from './politeness.ts';
import { isWholeId } from './target.ts';
import { isDay, isDayByTime, looksLikeTime, workingWeekAhead } from './time.ts';
import type { Word } from './words.ts';

/** Makes the error for a word that is not an option, with what was probably meant. */
export function unknownOption(cursor: Cursor, word: Word, kind: string): Misunderstood {
  if (looksLikeTime(cursor.last()) && knownZone(word.text) === word.text) {
    const expected = 'no time zone: times are in the one of your Slack profile';
    return new Misunderstood(word, expected, { example: exampleWith('digest daily 09:00'), meant: '' });
  }
  const another = isOneOf(word, ['and', '&', '+']) ? cursor.peek(1) : word;
  if (another && isWholeId(another)) {
    const at = across(word, another);
    return new Misunderstood(another, 'one project or session at a time', { meant: '', at });
  }
  const week = workingWeekAhead(cursor);
  if (week || (followsDigest(cursor) && isDayByTime(word))) {
    const example = exampleWith('digest daily 09:00 weekdays');
    const correction = week ? { meant: 'weekdays', at: week } : { meant: '' };
    return new Misunderstood(word, 'weekdays, or nothing for every day', { example, ...correction });
  }
  const hasContents = kind !== 'file' && kind !== 'document';
  const names = optionNames.filter((name) => hasContents || name !== 'itself');
  const found = meaningOf(cursor, word, kind);
  const option = optionRows.find((known) => found?.meant.startsWith(known.word));
  const example = exampleWith(option?.example ?? 'only added,deleted');
  return new Misunderstood(word, `${names.join(', ')} or to me`, { example, ...found });
}

/** Whether the word before is the end of a digest. */
function followsDigest(cursor: Cursor): boolean {
  return isOneOf(cursor.last(), ['weekdays', 'hourly']) || looksLikeTime(cursor.last());
}

type Meaning = { readonly meant: string; readonly at?: Stretch; readonly madeUp?: boolean };

function meaningOf(cursor: Cursor, word: Word, kind: string): Meaning | null {
  const phrase = phraseMeant(cursor);
  if (phrase) return phrase;
  const missing = missingOption(cursor, word);
  if (missing !== null && !meansNothing(cursor, word)) return { meant: missing, at: before(word) };
  if (meansNothing(cursor, word) || isDay(word) || isRoot(word.text)) return { meant: '' };
  const near = word.quoted ? undefined : (joinedMeant(word.text) ?? nearest(word.text, optionRows));
  if (near !== undefined) return { meant: near };
  if (/[*/]/.test(word.text)) return { meant: insideFolder(word.text) };
  if (looksLikeTime(word)) return { meant: 'digest daily', at: before(word) };
  if (!word.quoted && nearestEventType(word.text) !== undefined) return { meant: 'only', at: before(word) };
  return kind === 'project' || kind === 'folder' ? folderMeant(cursor, word) : null;
}

/** Returns what `added/deleted` and `threads=on` mean; undefined for a word without several parts. */
function joinedMeant(text: string): string | undefined {
  const types = typesIn(text);
  if (types !== null) return `only ${types}`;
  const [, name = '', value] = /^(\p{L}{2,})[:=](.+)$/u.exec(text) ?? [];
  const option = value === undefined ? undefined : nearest(name, optionRows);
  return option && `${option} ${value}`;
}

/** Returns the option that this word is an argument of, if only the option itself is missing. */
function missingOption(cursor: Cursor, word: Word): string | null {
  const [first] = word.parts;
  if (!first) return null;
  if (eventTypeOf(first)) return 'only';
  // Also an `@dana` that Slack did not turn into a mention.
  if (personOf(first, cursor.me) || /^@\p{L}/u.test(word.text)) return 'by';
  if (isOneOf(word, ['off']) && followsDigest(cursor)) return 'digest';
  if (isOneOf(word, ['every', 'each', 'once'])) return followsDigest(cursor) ? null : 'digest';
  return isOneOf(word, ['hourly', 'daily', 'weekly', 'monthly', 'nightly']) ? 'digest' : null;
}

/** Reads the words as a folder name that was not put in quotes. */
function folderMeant(cursor: Cursor, word: Word): Meaning | null {
  const words = word.quoted ? [word] : namedFolder(cursor);
  const folders = separateFolders(words);
  const last = words.at(-1) ?? word;
  // Digits alone are more likely half an id.
  if (!folders.some((folder) => /\p{L}/u.test(folder))) return null;
  const meant = `in ${folders.map((folder) => insideFolder(folder).slice('in '.length)).join(' ')}`;
  return { meant, at: across(word, last) };
}

/** Joins words to the names of folders, which commas separate. */
function separateFolders(words: readonly Word[]): readonly string[] {
  const folders: string[] = [];
  let name: string[] = [];
  for (const { parts, end } of words) {
    for (const [index, part] of parts.entries()) {
      name.push(part.text);
      if (index === parts.length - 1 && part.end === end) continue;
      folders.push(name.join(' '));
      name = [];
    }
  }
  return name.length === 0 ? folders : [...folders, name.join(' ')];
}

/** Returns the words up to the next option, or in quotes, without the word `folder` before them. */
function namedFolder(cursor: Cursor): readonly Word[] {
  const words = cursor.ahead((next) => endsList(next) || next.quoted || isPolite(next));
  const [first, ...rest] = words;
  if (!first || !isOneOf(first, ['folder', 'folders', 'directory'])) return words;
  const quoted = cursor.peek(1);
  return quoted?.quoted ? [quoted] : rest.length > 0 ? rest : words;
}

/** Words among the options that carry no meaning. */
const fillers = [
  ...'the a an and with for all everything on at to * **'.split(' '),
  ...'its content contents including comprehensive here reply replies'.split(' '),
];
/** Words after a time that add nothing to it. */
const clockWords = "every each day everyday o’clock o'clock oclock sharp hrs hours uhr".split(' ');
/** Words after event types: `only new files`. */
const typedThings = ['file', 'files', 'items', 'documents', 'changes', 'events', 'ones'];
/** Everything that happens, and not the event type: `changes by dana@example.com`. */
const happenings = ['changes', 'updates', 'events', 'activity'];
const digests = ['digest', 'digests', 'summary'];

/** What people say in several words; each place lists the words that can stand there. */
const phrases: readonly (readonly [meant: string, ...places: (readonly string[])[]])[] = [
  ['digest hourly', ['hourly'], digests],
  ['digest daily', ['daily'], digests],
  ['', ['all', 'any', 'everything'], happenings],
  ['', ['all', 'everything'], ['in'], ['it']],
  ['to me', ['for', 'to'], ['me', 'myself']],
  ['to me', ['dm', 'dms', 'privately', 'personally']],
];

/** Returns what the next words mean among the options, if they are a common phrase; null if not. */
function phraseMeant(cursor: Cursor): { readonly meant: string; readonly at: Stretch } | null {
  for (const [meant, ...places] of phrases) {
    const words = places.map((_, index) => cursor.peek(index));
    const [first, last] = [words[0], words.at(-1)];
    const isMeant = places.every((place, index) => isOneOf(words[index] ?? null, place));
    if (isMeant && first && last) return { meant, at: across(first, last) };
  }
  return null;
}

/** Whether the next word adds nothing to the options. */
function meansNothing(cursor: Cursor, word: Word): boolean {
  if (isOneOf(word, fillers) || isPolite(word)) return true;
  const [last, next] = [cursor.last(), cursor.peek(1)];
  if (isOneOf(word, happenings) && isOneOf(next, ['by', 'in', 'from'])) return true;
  if (looksLikeTime(last) && isOneOf(word, clockWords)) return true;
  return last !== null && eventTypeOf(last) !== null && isOneOf(word, typedThings);
}
