import type { TypedWhen } from '../../core/model/request.ts';
import type { EventType } from '../../core/model/subscription.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { onlyOthers } from './event-types.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, exampleWith } from './option-rows.ts';
import { looksLikeTime, namesTime, readTime, workingWeekAhead } from './time.ts';
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
};

const example = exampleWith('digest daily 09:00');
const expected = 'hourly, or daily and a time';
const fallback = 'daily 09:00';

const schedules = ['hourly', 'daily', 'weekdays', 'live', 'off'];
const candidates = [
  { word: 'hourly', alike: ['hour', 'hours'] },
  { word: 'daily', alike: ['day', 'days', 'everyday', 'nightly'] },
  { word: 'weekdays', alike: ['weekday', 'workdays', 'workday'] },
  { word: 'off', alike: ['no', 'none', 'never', 'stop'] },
];
const fillers = ['every', 'each', 'once', 'a', 'per', 'an', 'on'];

/** Whether a word can follow `digest`. */
export function fitsDigest(word: Word | null): boolean {
  return isOneOf(word, schedules);
}

/** Reads what follows `digest`. Throws `Misunderstood`. */
export function readDigest(cursor: Cursor, typed: TypedSchedule): void {
  const digest = cursor.last();
  const next = cursor.peek();
  if (!next) throw new Misunderstood(null, expected, { meant: fallback });
  expectNoInterval(cursor, next);
  if (looksLikeTime(next)) throw new Misunderstood(next, expected, { meant: 'daily', at: before(next) });
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

/** Throws a correction for `digest every 2 hours`. */
function expectNoInterval(cursor: Cursor, count: Word): void {
  const unit = cursor.peek(1);
  if (!unit || !/^\d+$/.test(count.folded)) return;
  if (!isOneOf(unit, ['hour', 'hours', 'hrs', 'minutes', 'mins', 'min'])) return;
  throw new Misunderstood(count, expected, { meant: 'hourly', at: across(count, unit) });
}

/** Throws a correction for `digest daily weekdays 9:00`. */
function expectTimeFirst(cursor: Cursor, daily: Word): void {
  const word = cursor.peek();
  if (!word || !isOneOf(word, ['weekdays']) || !looksLikeTime(cursor.peek(1))) return;
  throw new Misunderstood(word, '“weekdays” after the time', { meant: 'weekdays', at: across(daily, word) });
}

function scheduleMeant(word: Word, cursor: Cursor) {
  if (isOneOf(word, fillers)) return { meant: '' };
  const week = workingWeekAhead(cursor);
  if (week) return { meant: 'weekdays', at: week };
  const near = nearest(word.text, candidates);
  if (near !== undefined) return { meant: near };
  // If an option follows, the schedule is missing. Any other word is a misspelled schedule.
  if (endsList(word)) return { meant: fallback, at: before(word) };
  // In `mornings at 8:00` the time is 8:00; `mornings` is a time only if it is alone.
  if ([cursor.peek(1), cursor.peek(2)].some(namesTime)) return { meant: 'daily' };
  return namesTime(word) ? { meant: 'daily', at: before(word) } : { meant: fallback };
}

/** Reads `live`, which takes no arguments. */
export function readLive(cursor: Cursor, typed: TypedSchedule): void {
  const live = cursor.last();
  setWhen(typed, { when: 'live' }, live, cursor.stretchFrom(live));
}

/** Sets when to post. If it was typed before, differently, the later one is probably meant. */
function setWhen(
  typed: TypedSchedule,
  when: NonNullable<TypedSchedule['when']>,
  word: Part | null,
  here: Stretch | undefined,
): void {
  const { when: earlier, whenAt, except } = typed;
  const time = (one: NonNullable<TypedSchedule['when']>) => ('at' in one ? one.at : '');
  if (earlier && (earlier.when !== when.when || time(earlier) !== time(when))) {
    // In `digest hourly except deleted live`, the last word only says what `except` does.
    const at = except && when.when === 'live' ? here : whenAt;
    const one = 'only one of “live”, “digest hourly” and “digest daily”';
    throw new Misunderstood(word, one, { example, meant: '', at });
  }
  typed.when = when;
  typed.whenAt = here;
}

/** Returns when to post, once the whole line is read. Throws `Misunderstood` if an option needs a digest and there is none. */
export function scheduleOf({ when, weekdays, except }: TypedSchedule): TypedWhen | undefined {
  if (weekdays && when?.when !== 'daily') {
    const meant = when === undefined ? `digest ${fallback} weekdays` : '';
    throw new Misunderstood(weekdays, '“weekdays” only after “digest daily” and a time', { example, meant });
  }
  if (except && (when === undefined || when.when === 'live')) {
    const onlyWith = '“except” only with a digest, since it names what is posted right away';
    const meant = onlyOthers(except.types);
    throw new Misunderstood(except.word, onlyWith, { example: `${example} except deleted`, meant });
  }
  if (when === undefined) return undefined;
  return { ...when, ...(weekdays ? { weekdays: true } : {}), ...(except ? { except: except.types } : {}) };
}
