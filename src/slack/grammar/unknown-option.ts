import { isZone } from '../../core/model/time-zone.ts';
import { type Cursor, isOneOf, makeCursor, type Phrases, phraseAhead } from './cursor.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, exampleWith, optionNames, optionRows } from './option-rows.ts';
import { isPath } from './paths.ts';
import { otherDaysAhead, scheduleAhead } from './schedule.ts';
import { isWholeId } from './target.ts';
import { isClearTime, looksLikeTime } from './time.ts';
import type { Word } from './words.ts';

/** How many words are left out at once, at the most. */
const mostLeftOut = 50;

/** What was read before the word. */
type Read = { readonly kind: string; readonly isScheduled: boolean };

/**
 * Makes the error for a word that is not an option, with what was probably meant. A word that means nothing here is left out, with all up
 * to the next that means something.
 */
export function unknownOption(cursor: Cursor, word: Word, read: Read): Misunderstood {
  if (looksLikeTime(cursor.last()) && isZone(word.text)) {
    const example = exampleWith('digest daily 09:00 (Europe/London)');
    return new Misunderstood(word, 'a time zone in parentheses', { example, meant: `(${word.text})` });
  }
  const rest = cursor.ahead(() => false).slice(0, mostLeftOut);
  const end = rest.findIndex(
    (next, index) =>
      index > 0 && (endsList(next) || recognized(makeCursor(rest.slice(index), null), next, read)),
  );
  const at = across(word, rest.at(end === -1 ? -1 : end - 1) ?? word);
  const example = exampleWith('only added,deleted');
  return (
    recognized(cursor, word, read) ?? new Misunderstood(word, expected(read), { example, meant: '', at })
  );
}

function expected({ kind }: Read): string {
  const names = optionNames.filter((name) => name !== 'itself' || (kind !== 'file' && kind !== 'document'));
  return `${names.join(', ')} or to me`;
}

/** Makes the error for a word that probably means something; null if it does not. */
function recognized(cursor: Cursor, word: Word, read: Read): Misunderstood | null {
  const another = isOneOf(word, ['and', '&', '+']) ? cursor.peek(1) : word;
  if (another && isWholeId(another)) {
    const at = across(word, another);
    return new Misunderstood(another, 'one project or session at a time', { meant: '', at });
  }
  const otherDays = otherDaysAhead(cursor, read.isScheduled);
  const found = otherDays || word.quoted ? null : meaningOf(cursor, read.isScheduled);
  if (!found) return otherDays;
  const option = optionRows.find((known) => found.meant.startsWith(known.word));
  const example = exampleWith(option?.example ?? 'only added,deleted');
  return new Misunderstood(word, expected(read), { example, ...found });
}

type Meaning = { readonly meant: string; readonly at?: Stretch };

function meaningOf(cursor: Cursor, isScheduled: boolean): Meaning | null {
  const [word, next] = [cursor.peek(), cursor.peek(1)];
  const phrase = phraseAhead(cursor, phrases);
  if (!word || phrase) return phrase;
  const schedule = scheduleAhead(cursor);
  if (schedule || isClearTime(word) || isOneOf(word, ['off']))
    return digestMeant(word, schedule, isScheduled);
  const near = joinedMeant(word.text) ?? nearest(word.text, optionRows);
  // After these, a left-over word would be taken for a folder or a name.
  const takesAnything = (near === 'as' && !next?.quoted) || (near === 'in' && !isPath(next));
  return near === undefined || takesAnything ? null : { meant: near };
}

function digestMeant(
  word: Word,
  schedule: ReturnType<typeof scheduleAhead>,
  isScheduled: boolean,
): Meaning | null {
  if (isScheduled) {
    if (isOneOf(word, ['off'])) return { meant: 'digest', at: before(word) };
    return schedule?.meant === 'weekdays' ? schedule : null;
  }
  if (schedule) return { ...schedule, meant: `digest ${schedule.meant}` };
  return isClearTime(word) ? { meant: 'digest daily', at: before(word) } : null;
}

/** Returns what `threads=on` means; undefined for a word without two parts. */
function joinedMeant(text: string): string | undefined {
  const [, name = '', value] = /^(\p{L}{2,})[:=](.+)$/u.exec(text) ?? [];
  const option = value === undefined ? undefined : nearest(name, optionRows);
  return option && `${option} ${value}`;
}

const digests = ['digest', 'digests', 'summary'];
const phrases: Phrases = [
  ['', ['all', 'everything'], ['in'], ['it']],
  ['digest hourly', ['hourly'], digests],
  ['digest daily', ['daily'], digests],
  ['to me', ['for', 'to'], ['me', 'myself']],
  ['to me', ['dm', 'dms', 'privately', 'personally']],
];
