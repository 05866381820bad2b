import type { TypedWhen } from '../../core/model/request.ts';
import type { EventType } from '../../core/model/subscription.ts';
import { isZone } from '../../core/model/time-zone.ts';
import { type Cursor, isOneOf, type Phrases, phraseAhead } from './cursor.ts';
import { onlyOthers } from './event-types.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, exampleWith, zoneIn } from './option-rows.ts';
import {
  isClearTime,
  isDay,
  isDayByTime,
  looksLikeTime,
  namesTime,
  readTime,
  workingWeekAhead,
} from './time.ts';
import type { Part, Word } from './words.ts';

/** When to post, as read so far. */
export type TypedSchedule = {
  when?: { readonly when: 'live' | 'hourly' } | { readonly when: 'daily'; readonly at: string } | undefined;
  /** Where `when` was typed. */
  whenAt?: Stretch | undefined;
  /** The word `weekdays`, if it was typed. */
  weekdays?: Part | undefined;
  /** The types after `except`, and their position. */
  except?: { readonly types: readonly EventType[]; readonly word: Part } | undefined;
  zone?: { readonly name: string; readonly word: Part } | undefined;
};

const example = exampleWith('digest daily 09:00');
const zoned = exampleWith('digest daily 09:00 (Europe/London)');
const expected = 'hourly, or daily and a time';
const fallback = 'daily 09:00';

const schedules = ['hourly', 'daily', 'weekdays', 'live', 'off'];
const candidates = [
  { word: 'hourly', alike: ['hour'] },
  { word: 'daily', alike: ['day', 'everyday'] },
  { word: 'weekdays', alike: ['weekday', 'workdays', 'workday'] },
  { word: 'off', alike: ['no', 'none', 'never', 'stop'] },
];

/** Reads what follows `digest`. Throws `Misunderstood`. */
export function readDigest(cursor: Cursor, typed: TypedSchedule): void {
  const digest = cursor.last();
  const next = cursor.peek();
  // In `9:00 digest` it is there already.
  if (typed.when && (!next || endsList(next))) throw new Misunderstood(digest, expected, { meant: '' });
  if (!next) throw new Misunderstood(null, expected, { meant: fallback });
  const other = otherDaysAhead(cursor, true);
  if (other) throw other;
  const schedule = schedules.find((name) => isOneOf(next, [name]));
  if (schedule === undefined) throw new Misunderstood(next, expected, scheduleMeant(next, cursor));
  cursor.skip();
  if (schedule === 'daily') expectTimeFirst(cursor, next);
  if (schedule === 'daily' || schedule === 'weekdays') {
    if (schedule === 'weekdays') typed.weekdays = next;
    setWhen(typed, { when: 'daily', at: readTime(cursor) }, next, cursor.stretchFrom(digest));
  } else {
    setWhen(typed, { when: schedule === 'hourly' ? 'hourly' : 'live' }, next, cursor.stretchFrom(digest));
  }
}

/** Throws a correction for `digest daily weekdays 9:00`. */
function expectTimeFirst(cursor: Cursor, daily: Word): void {
  const word = cursor.peek();
  if (!word || !isOneOf(word, ['weekdays']) || !looksLikeTime(cursor.peek(1))) return;
  throw new Misunderstood(word, '“weekdays” after the time', { meant: 'weekdays', at: across(daily, word) });
}

function scheduleMeant(word: Word, cursor: Cursor) {
  const schedule = scheduleAhead(cursor);
  if (schedule) return schedule;
  const near = nearest(word.text, candidates);
  if (near !== undefined) return { meant: near };
  // If an option follows, the schedule is missing.
  if (endsList(word)) return { meant: fallback, at: before(word) };
  const isAt = isOneOf(word, ['at']);
  // In `täglich 9:00`, at least the time is understood.
  if (!isAt && !isClearTime(word) && [1, 2].some((ahead) => isClearTime(cursor.peek(ahead))))
    return { meant: '' };
  return namesTime(isAt ? cursor.peek(1) : word) && !isCount(cursor)
    ? { meant: 'daily', at: before(word) }
    : {};
}

/** Whether a number counts what follows, as in `digest 2 hours`, and so is no time of day. */
function isCount(cursor: Cursor): boolean {
  const [word, next] = [cursor.peek(), cursor.peek(1)];
  const ends = !next || endsList(next) || isOneOf(next, ['am', 'pm', 'uhr', "o'clock", 'o’clock']);
  return word !== null && /^\d+$/.test(word.folded) && !ends;
}

/** What people say in several words; each place lists the words that can stand there. */
const phrases: Phrases = [
  ['hourly', ['hourly']],
  ['daily', ['daily']],
  ['hourly', ['every', 'each'], ['hour']],
  ['daily', ['every', 'each'], ['day', 'morning']],
  ['weekdays', ['every', 'each'], ['weekday', 'workday']],
  ['daily', ['once'], ['a', 'per'], ['day']],
];

/** Returns the schedule that the next words are, as it is typed after `digest`; null if they are none. */
export function scheduleAhead(cursor: Cursor) {
  const week = workingWeekAhead(cursor);
  return week ? { meant: 'weekdays', at: week } : phraseAhead(cursor, phrases);
}

const otherDays = /^(?:(?:bi)?weekly|weeks?|fortnightly|monthly|months?|quarterly|yearly)$/;

/**
 * Makes the error for a schedule that digests cannot have, such as `weekly` or `every Monday`, if the next words are one. Nothing is offered
 * in its place, since it would post on other days. `isDigest`: whether a digest comes before, so
 * that `sat` is a day.
 */
export function otherDaysAhead(cursor: Cursor, isDigest: boolean): Misunderstood | null {
  const first = cursor.peek();
  const word = isOneOf(first, ['every', 'each', 'on']) ? cursor.peek(1) : first;
  const isAfter = isDigest || word !== first;
  const isOther = word && (otherDays.test(word.folded) || isDay(word) || (isAfter && isDayByTime(word)));
  if (!isOther || word.quoted || workingWeekAhead(cursor)) return null;
  const schedules = 'hourly, daily or weekdays, since a digest on other days isn’t possible yet';
  return new Misunderstood(word, schedules, { example: exampleWith('digest weekdays 09:00') });
}

/** Reads `live`, which takes no arguments. */
export function readLive(cursor: Cursor, typed: TypedSchedule): void {
  const live = cursor.last();
  setWhen(typed, { when: 'live' }, live, cursor.stretchFrom(live));
}

/** Reads the time zone of a digest if it is next. */
export function readZone(cursor: Cursor, typed: TypedSchedule): boolean {
  const word = cursor.peek();
  const name = word && zoneIn(word);
  if (!name) return false;
  if (!isZone(name)) throw new Misunderstood(word, 'a time zone like (Europe/London)', { example: zoned });
  if (typed.zone) throw new Misunderstood(word, 'one time zone', { example: zoned, meant: '' });
  typed.zone = { name, word };
  cursor.skip();
  return true;
}

/** Sets when to post. If it was typed before, the later one is probably meant. */
function setWhen(
  typed: TypedSchedule,
  when: NonNullable<TypedSchedule['when']>,
  word: Part | null,
  here: Stretch | undefined,
): void {
  const { when: earlier, whenAt, except } = typed;
  if (earlier) {
    // In `digest hourly except deleted live`, the last word only says what `except` does.
    const at = except && when.when === 'live' ? here : whenAt;
    const one = 'only one of “live”, “digest hourly” and “digest daily”';
    throw new Misunderstood(word, one, { example, meant: '', at });
  }
  typed.when = when;
  typed.whenAt = here;
}

/** Returns when to post, once the whole line is read. Throws `Misunderstood` if an option needs a digest and there is none. */
export function scheduleOf({ when, weekdays, except, zone }: TypedSchedule): TypedWhen | undefined {
  if (weekdays && when?.when !== 'daily') {
    const meant = when === undefined ? `digest ${fallback} weekdays` : '';
    throw new Misunderstood(weekdays, '“weekdays” only after “digest daily” and a time', { example, meant });
  }
  if (except && (when === undefined || when.when === 'live')) {
    const onlyWith = '“except” only with a digest, since it names what is posted right away';
    const meant = onlyOthers(except.types);
    throw new Misunderstood(except.word, onlyWith, { example: `${example} except deleted`, meant });
  }
  if (zone && when?.when !== 'daily') {
    const onlyWith = 'a time zone only with “digest daily” and a time';
    throw new Misunderstood(zone.word, onlyWith, { example: zoned, meant: '' });
  }
  if (when === undefined) return undefined;
  return {
    ...when,
    ...(weekdays ? { weekdays: true } : {}),
    ...(except ? { except: except.types } : {}),
    ...(zone ? { zone: zone.name } : {}),
  };
}
