import { durationWord } from '../../core/model/format-request.ts';
import { maxMuteMinutes } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { fold, type Word } from './words.ts';

const timeForm = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/;
const units = [
  [1, 'm min mins minute minutes'],
  [60, 'h hr hrs hour hours'],
  [24 * 60, 'd day days'],
  [7 * 24 * 60, 'w week weeks'],
] as const;
const minutesOf: ReadonlyMap<string, number> = new Map(
  units.flatMap(([minutes, words]) => words.split(' ').map((word) => [word, minutes] as const)),
);

/** Reads a time of day (`9:00`, `09:00` or `9 am`) and returns it as `HH:MM`. Throws `Misunderstood`. */
export function readTime(cursor: Cursor): string {
  const expected = 'a time like 9:00 or 17:30';
  cursor.accept('at');
  if (!cursor.peek()) throw new Misunderstood(null, expected, { meant: '09:00' });
  const week = workingWeekAhead(cursor);
  const word = cursor.take(expected);
  const half = cursor.accept('am', 'pm');
  const time = toTime(word.folded + (half ? half.folded : ''));
  if (time) return time;
  throw new Misunderstood(word, expected, week ? { meant: 'weekdays', at: week } : timeMeant(word));
}

/** Whether a word is a time of day, or nearly one. */
export function looksLikeTime(word: Word | null): boolean {
  return word !== null && /\d/.test(word.folded) && timeMeantIn(word) !== undefined;
}

/** Whether a word can only be a time of day, wherever it stands: `9:00` or `5pm`, but not `9` or `1.25`. */
export function isClearTime(word: Word | null): boolean {
  return word !== null && !word.quoted && /:|[ap]m$/.test(word.folded) && toTime(word.folded) !== null;
}

const hours: Readonly<Record<string, string>> = {
  midnight: '00:00',
  morning: '09:00',
  mornings: '09:00',
  noon: '12:00',
  midday: '12:00',
  afternoon: '15:00',
  evening: '18:00',
  evenings: '18:00',
};

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Whether a word is a time of day as above, or the name of one. Elsewhere in a line, a name like `Morning` is more likely a folder. */
export function namesTime(word: Word | null): boolean {
  return looksLikeTime(word) || (word !== null && Object.hasOwn(hours, word.folded));
}

/** Whether a word is a day of the week. */
export function isDay({ folded }: Word): boolean {
  return days.some((day) => folded === day || folded === `${day}s`);
}

const shortDay = /^(?:weekends?|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)$/;

/** Whether a word next to a time is a day: there, `weekends` and `sat` are hardly folders. */
export function isDayByTime(word: Word): boolean {
  return isDay(word) || shortDay.test(word.folded);
}

const workingWeek = /^mon(?:days?)? ?(?:-|–|to|till|until|thru|through) ?fri(?:days?)?$/;

/** Returns where the next words say `mon-fri` or `Monday to Friday`; null if they do not. */
export function workingWeekAhead(cursor: Cursor): Stretch | null {
  const first = cursor.peek();
  if (!first) return null;
  if (workingWeek.test(first.folded)) return first;
  const last = cursor.peek(2);
  const words = [first, cursor.peek(1), last].map((word) => word?.folded).join(' ');
  return last && workingWeek.test(words) ? across(first, last) : null;
}

/** Returns where the next words say `weekends`, or `on weekends`; null if they do not. */
export function weekendsAhead(cursor: Cursor): Stretch | null {
  const on = cursor.peek();
  const day = isOneOf(on, ['on', 'at']) ? cursor.peek(1) : on;
  return on && day && isOneOf(day, ['weekend', 'weekends']) ? across(on, day) : null;
}

/** Returns the time that was probably meant. If the word is something else entirely, the time is missing. */
function timeMeant(word: Word): { meant?: string; at?: Stretch } {
  const meant = timeMeantIn(word);
  if (meant !== undefined) return { meant };
  return /\d/.test(word.folded) ? {} : { meant: '09:00', at: before(word) };
}

function timeMeantIn({ folded }: Word): string | undefined {
  if (Object.hasOwn(hours, folded)) return hours[folded];
  if (toTime(folded) !== null) return folded;
  const [, hour, minute] = /^(\d{1,2})(?:[h:;,._-]?(\d{2}))?h?$/.exec(folded) ?? [];
  return hour === undefined
    ? undefined
    : (toTime(`${hour === '24' ? '0' : hour}:${minute ?? '00'}`) ?? undefined);
}

function toTime(text: string): string | null {
  const [, hour, minute, half] = timeForm.exec(text) ?? [];
  if (minute === undefined && half === undefined) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const wrong = half !== undefined && (Number(hour) < 1 || Number(hour) > 12);
  if (wrong || hours > 23 || Number(minute ?? 0) > 59) return null;
  return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
}

const fillers = ['channel', 'please', 'pls'];

/** Reads a duration (`2h`, `90 minutes` or `1h30m`) up to the end of the line and returns it in minutes. Throws `Misunderstood`. */
export function readDuration(cursor: Cursor): number {
  const expected = 'how long, like 30m, 2h or 1d';
  cursor.accept('for');
  const filler = cursor
    .ahead(() => false)
    .find((word, at) => isOneOf(isOneOf(word, ['this']) ? cursor.peek(at + 1) : word, fillers));
  if (filler) throw new Misunderstood(filler, expected, { meant: '' });
  if (!cursor.peek()) throw new Misunderstood(null, expected, { meant: '2h' });
  const word = cursor.takeRest(expected);
  const text = fold(word.text);
  const minutes = toMinutes(text);
  const meant = durationMeant(text);
  if (minutes === null && meant === undefined) {
    const everything =
      'how long to mute everything here, like 30m, 2h or 1d; the menu of a message mutes one file';
    throw new Misunderstood(word, everything, { example: 'help mute' });
  }
  if (minutes === null) throw new Misunderstood(word, expected, { meant });
  if (minutes >= 1 && minutes <= maxMuteMinutes) return minutes;
  const days = maxMuteMinutes / (24 * 60);
  const longest = minutes < 1 ? undefined : `${days}d`;
  throw new Misunderstood(word, `a length of time from one minute to ${days} days`, { meant: longest });
}

function toMinutes(text: string): number | null {
  if (!/^\s*(?:\d{1,6}\s*[a-z]+\s*)+$/.test(text)) return null;
  let minutes = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)\s*([a-z]+)/g)) {
    minutes += Number(count) * (minutesOf.get(unit) ?? Number.NaN);
  }
  return Number.isNaN(minutes) ? null : minutes;
}

const numbers: Readonly<Record<string, string>> = {
  a: '1',
  an: '1',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  ten: '10',
};
/** Singular and plural are separate lists, because a typo like `minuts` is equally near to both. */
const unitCandidates = ['minute', 'hour', 'day', 'week'].map((word) => ({ word }));
const pluralCandidates = unitCandidates.map(({ word }) => ({ word: `${word}s` }));
const lengths: Readonly<Record<string, string>> = {
  'half an hour': '30m',
  today: '12h',
  tonight: '12h',
  overnight: '12h',
  tomorrow: '1d',
  weekend: '2d',
  forever: '30d',
  always: '30d',
  indefinitely: '30d',
};

/**
 * Returns the duration that was probably meant; undefined if any word says something else, since a mute is for the whole channel: what is
 * typed may be about one file.
 */
function durationMeant(text: string): string | undefined {
  const words = text.replace(/[^\p{L}\d.,]+/gu, ' ').replace(/^ ?(?:for |until (?!\d))?|[ .]+$/g, '');
  if (Object.hasOwn(lengths, words)) return lengths[words];
  const [, hours, minutesAfter] =
    /^(\d{1,2}) ?(?:h|hr|hrs|hours?) ?(?:and )?(\d{2})(?: ?m(?:in(?:ute)?s?)?)?$/.exec(words) ?? [];
  if (minutesAfter !== undefined) return `${hours}h${minutesAfter}m`;
  const spelled = words.replace(/^[a-z]+(?= [a-z])/, (word) => numbers[word] ?? word);
  const [, typed = '', unit = ''] = /^(\d{1,4}(?:[.,]\d)?) ?([a-z]*)$/.exec(spelled) ?? [];
  const count = Number(typed.replace(',', '.'));
  const minutes = count * (minutesOf.get(unit === '' ? unitOfBare(count) : unitMeant(unit)) ?? 0);
  const isWhole = Number.isInteger(minutes) && minutes >= 1 && minutes <= maxMuteMinutes;
  return isWhole ? durationWord(minutes) : undefined;
}

/** Returns the unit of a number without one: people say 2, 12 or 24 hours, and 15, 30 or 90 minutes. */
function unitOfBare(count: number): string {
  return count < 10 || [12, 24, 48, 72].includes(count) ? 'h' : 'm';
}

/** Returns the unit that was probably meant by a misspelled one. */
function unitMeant(unit: string): string {
  if (minutesOf.has(unit)) return unit;
  return nearest(unit, unitCandidates) ?? nearest(unit, pluralCandidates) ?? unit;
}
