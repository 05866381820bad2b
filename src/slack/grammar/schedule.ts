import { whenWords } from '../../core/model/format-request.ts';
import { inZoneCase, isZone } from '../../core/model/local-time.ts';
import type { TypedWhen } from '../../core/model/request.ts';
import { type DayOfWeek, type EventType, eventTypes, eventWords } from '../../core/model/subscription.ts';
import type { Line, ValueFault } from './line.ts';
import { readTypes, typesExpected } from './lists.ts';
import { type TypedTime, timeAt, wrongTimeAt } from './time.ts';
import { bare, meaningOf, type WordAt } from './vocabulary.ts';
import type { Word } from './words.ts';

type When = TypedWhen['when'];

/** When to post, as read so far: its words may stand anywhere in the line. A word that contradicts an earlier one is not taken. */
export type Schedule = {
  when?: When;
  /** The word after `digest`, empty if there is none; missing if `digest` was not typed. */
  digest?: string;
  time?: TypedTime;
  wrongTime?: string;
  weekdays?: true;
  day?: DayOfWeek;
  /** The types after `except`, and the word after it. */
  except?: { readonly types: readonly EventType[]; readonly value: string | null };
  zone?: Word;
};

/** Reads a word that says when to post, if one is next. */
export function readSchedule(line: Line, schedule: Schedule): boolean {
  if (readClock(line, schedule)) return true;
  const word = line.peek();
  const day = meaningOf('day', word);
  const meaning = day ?? meaningOf('schedule', word);
  if (!meaning || meaning.word === 'off') return false;
  const when = namedBy(meaning.word);
  if (when !== (schedule.when ?? when) || (day && day.word !== (schedule.day ?? day.word))) return false;
  line.noteSlip(meaning.isSlip);
  line.take();
  schedule.when = when;
  if (day) schedule.day = day.word;
  if (meaning.word === 'weekdays') schedule.weekdays = true;
  const wrong = meaning.word !== 'hourly' && !readClock(line, schedule, true) && wrongTimeAt(line);
  if (wrong) schedule.wrongTime ??= wrong.text;
  return true;
}

function readClock(line: Line, schedule: Schedule, isExpected = false): boolean {
  const word = line.peek();
  const time = schedule.time ? null : timeAt(line, isExpected);
  if (time) schedule.time = time;
  else if (word && !schedule.zone && zoneIn(word) !== undefined) schedule.zone = word;
  else return false;
  line.noteSlip(time?.isSlip ?? false);
  line.take(time?.words.length);
  return true;
}

/** Reads what follows `digest`: only `off` belongs to it, the rest may stand anywhere. */
export function readDigest(line: Line, schedule: Schedule): void {
  const next = line.peek();
  schedule.digest ??= next?.text ?? '';
  if (meaningOf('schedule', next)?.word !== 'off' || schedule.when !== undefined) return;
  schedule.when = 'live';
  line.take();
}

/** Reads the types after `except`. */
export function readExcept(line: Line, schedule: Schedule): void {
  const value = line.peek()?.text ?? null;
  const types = [...new Set([...(schedule.except?.types ?? []), ...(readTypes(line) ?? [])])];
  schedule.except = { types, value };
}

/** Returns the time zone in a word such as `(Europe/London)`, which Node may not know; undefined if the word is none. */
function zoneIn(word: Word | undefined): string | undefined {
  return /^\(([A-Z]{2,4}|[A-Za-z]+(?:\/[\w+-]+)+)\)$/.exec(word && !word.quoted ? word.text : '')?.[1];
}

/** What `weekdays` and a day of the week name: `weekdays` belongs to a daily digest, a day to a weekly one. */
function namedBy(word: Exclude<WordAt<'schedule'>, 'off'> | DayOfWeek): When {
  if (word === 'hourly' || word === 'daily' || word === 'weekly') return word;
  return word === 'weekdays' ? 'daily' : 'weekly';
}

const usualTime = '09:00';
const digests: readonly When[] = ['hourly', 'daily', 'weekly'];

/** Returns when to post, at the time that was typed or another one. */
function made({ time, weekdays, day, zone }: Schedule, when: When, at = time?.at ?? usualTime): TypedWhen {
  if (when === 'live' || when === 'hourly') return { when };
  const name = zoneIn(zone);
  const clock = { at, ...(name !== undefined && isZone(name) && { zone: inZoneCase(name) }) };
  if (when === 'daily') return { when, ...clock, ...(weekdays && { weekdays }) };
  return { when, ...clock, day: day ?? 'monday' };
}

const offered = (whens: readonly TypedWhen[]) =>
  whens.map((when) => ({ words: whenWords(when), said: { when } }));

/** Returns when to post, once the whole line is read, with the faults. A time or zone that no digest needs is left out. */
export function scheduleOf(
  line: Line,
  schedule: Schedule,
): { readonly when: TypedWhen | undefined; readonly faults: readonly ValueFault[] } {
  const { digest, time, zone, except } = schedule;
  const when = schedule.when ?? (digest !== undefined && time ? 'daily' : undefined);
  if (when !== 'daily' && when !== 'weekly') line.leaveOut([...(time?.words ?? []), ...(zone ? [zone] : [])]);
  if (when === undefined && digest !== undefined) {
    const instead = offered(digests.map((each) => made(schedule, each)));
    const fault = { option: 'digest', value: digest || null, expected: 'hourly, daily or weekly', instead };
    return { when: undefined, faults: [fault] };
  }
  const faults = when === 'daily' || when === 'weekly' ? clockFaults(schedule, when) : [];
  const posted = when && made(schedule, when);
  return except ? withExcept(schedule, posted, { faults, ...except }) : { when: posted, faults };
}

function clockFaults(schedule: Schedule, when: 'daily' | 'weekly'): ValueFault[] {
  const { wrongTime, zone } = schedule;
  const faults: ValueFault[] = [];
  const option = `digest ${when}`;
  if (wrongTime !== undefined) {
    const hour = /^\d{1,2}/.exec(bare(wrongTime))?.[0].padStart(2, '0') ?? '24';
    const meant = new Set([...(hour < '24' ? [`${hour}:00`] : []), usualTime]);
    const instead = offered([...meant].map((at) => made(schedule, when, at)));
    faults.push({ option, value: wrongTime, expected: 'a time like 9:00 or 17:30', instead });
  }
  const name = zoneIn(zone);
  if (name !== undefined && !isZone(name))
    faults.push({ option, value: name, expected: 'a time zone like (Europe/London)' });
  return faults;
}

function withExcept(
  schedule: Schedule,
  when: TypedWhen | undefined,
  { faults, types, value }: { readonly faults: readonly ValueFault[] } & NonNullable<Schedule['except']>,
): ReturnType<typeof scheduleOf> {
  if (when === undefined || when.when === 'live') {
    const only = eventTypes.filter((type) => !types.includes(type));
    const words = `only ${only.map((type) => eventWords[type]).join(',')}`;
    const daily = { ...made(schedule, 'daily', usualTime), except: types } as TypedWhen;
    const either = [{ words, said: { filters: { only } } }, ...offered([daily])];
    const instead = types.length === 0 || only.length === 0 ? [] : either;
    const expected = 'a digest to go with it: it names what is posted as it happens';
    return { when, faults: [...faults, { option: 'except', value: null, expected, instead }] };
  }
  if (types.length > 0) return { when: { ...when, except: types }, faults };
  const instead = offered(eventTypes.map((type) => ({ ...when, except: [type] })));
  return { when, faults: [...faults, { option: 'except', value, expected: typesExpected, instead }] };
}
