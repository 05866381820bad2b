import type { TypedWhen } from '../../core/model/request.ts';
import { type EventType, eventTypes, eventWords } from '../../core/model/subscription.ts';
import { isZone } from '../../core/model/time-zone.ts';
import type { ValueFault } from './faults.ts';
import type { Line } from './line.ts';
import { readTypes, typesExpected } from './lists.ts';
import { type TypedTime, timeAt, wrongTimeAt } from './time.ts';
import { meaningOf } from './vocabulary.ts';
import type { Word } from './words.ts';

type When = TypedWhen['when'];

/** When to post, as read so far: its words may stand anywhere in the line. */
export type Schedule = {
  named: Set<When>;
  /** The word behind `digest`, empty if there is none; null if `digest` was not typed. */
  digest: string | null;
  times: TypedTime[];
  wrongTime: string | null;
  weekdays: boolean;
  /** The types after `except`, and the word after it. */
  except: { readonly types: readonly EventType[]; readonly value: string | null } | null;
  zone: Word | null;
};

export const emptySchedule = (): Schedule => ({
  named: new Set(),
  digest: null,
  times: [],
  wrongTime: null,
  weekdays: false,
  except: null,
  zone: null,
});

/** Reads a word that says when to post, if one is next. */
export function readSchedule(line: Line, schedule: Schedule): boolean {
  const word = line.peek();
  const time = timeAt(line);
  if (time) {
    schedule.times.push(time);
    line.take(time.words.length);
    return true;
  }
  if (word && zoneIn(word) !== null && schedule.zone === null) {
    schedule.zone = word;
    line.take();
    return true;
  }
  const meaning = meaningOf('schedule', word);
  if (!meaning || meaning.word === 'off') return false;
  line.noteSlip(meaning.isSlip);
  line.take();
  if (meaning.word === 'weekdays') schedule.weekdays = true;
  schedule.named.add(meaning.word === 'weekdays' ? 'daily' : meaning.word);
  if (meaning.word !== 'hourly') schedule.wrongTime ??= wrongTimeAt(line)?.text ?? null;
  return true;
}

/** Reads what follows `digest`: only `off` belongs to it, the rest may stand anywhere. */
export function readDigest(line: Line, schedule: Schedule): void {
  const next = line.peek();
  schedule.digest ??= next?.text ?? '';
  if (meaningOf('schedule', next)?.word !== 'off') return;
  schedule.named.add('live');
  line.take();
}

/** Reads the types after `except`. */
export function readExcept(line: Line, schedule: Schedule): void {
  const value = line.peek()?.text ?? null;
  const types = [...new Set([...(schedule.except?.types ?? []), ...(readTypes(line) ?? [])])];
  schedule.except = { types, value };
}

/** Returns the time zone in a word such as `(Europe/London)`, which Node may not know; null if the word is none. */
function zoneIn({ text, quoted }: Word): string | null {
  const [, zone = null] = /^\(([A-Z]{2,4}|[A-Za-z]+(?:\/[\w+-]+)+)\)$/.exec(quoted ? '' : text) ?? [];
  return zone;
}

const usualTime = '09:00';
const usual: Readonly<Record<When, TypedWhen>> = {
  live: { when: 'live' },
  hourly: { when: 'hourly' },
  daily: { when: 'daily', at: usualTime },
};
const whenWords: Readonly<Record<When, string>> = {
  live: 'live',
  hourly: 'digest hourly',
  daily: `digest daily ${usualTime}`,
};
const digests: readonly When[] = ['hourly', 'daily'];
const instead = (whens: readonly When[]) =>
  whens.map((when) => ({ words: whenWords[when], said: { when: usual[when] } }));

/**
 * Returns when to post, once the whole line is read, and what is wrong with it. A time or a zone without a digest that needs it is left
 * out.
 */
export function scheduleOf(
  line: Line,
  schedule: Schedule,
): { readonly when: TypedWhen | undefined; readonly faults: readonly ValueFault[] } {
  const { named, digest, times, except } = schedule;
  if (named.size === 0 && digest !== null && times.length > 0) named.add('daily');
  const [when, other] = named;
  if (other) {
    const value = [...named].join(' and ');
    const fault = { option: 'digest', value, expected: 'one of these', instead: instead([...named]) };
    return { when: undefined, faults: [fault] };
  }
  if (when !== 'daily')
    line.leaveOut([...times.flatMap(({ words }) => words), ...(schedule.zone ? [schedule.zone] : [])]);
  if (when === undefined && digest !== null) {
    const value = digest === '' ? null : digest;
    const fault = { option: 'digest', value, expected: 'hourly or daily', instead: instead(digests) };
    return { when: undefined, faults: [fault] };
  }
  const made = when === 'daily' ? dailyOf(schedule) : { when: when && usual[when], faults: [] };
  return except === null ? made : withExcept(made.when, made.faults, except);
}

function dailyOf({ times, wrongTime, weekdays, zone }: Schedule) {
  const typed = [...new Set(times.map(({ at }) => at))];
  const name = zone && zoneIn(zone);
  const at = (time: string): TypedWhen => ({
    when: 'daily',
    at: time,
    ...(weekdays ? { weekdays } : {}),
    ...(name !== null && isZone(name) ? { zone: name } : {}),
  });
  const faults: ValueFault[] = [];
  if (wrongTime !== null || typed.length > 1) {
    const hour = /^\d{1,2}/.exec(wrongTime ?? '')?.[0].padStart(2, '0') ?? '';
    const offered = wrongTime === null ? typed : [...(hour < '24' ? [`${hour}:00`] : []), usualTime];
    faults.push({
      option: 'digest daily',
      value: wrongTime ?? typed.join(' and '),
      expected: 'a time like 9:00 or 17:30',
      instead: [...new Set(offered)].map((time) => ({
        words: `digest daily ${time}`,
        said: { when: at(time) },
      })),
    });
  }
  if (name !== null && !isZone(name))
    faults.push({ option: 'digest daily', value: name, expected: 'a time zone like (Europe/London)' });
  return { when: at(typed[0] ?? usualTime), faults };
}

function withExcept(
  when: TypedWhen | undefined,
  faults: readonly ValueFault[],
  { types, value }: NonNullable<Schedule['except']>,
): ReturnType<typeof scheduleOf> {
  const all = types.length === 0 ? eventTypes : [];
  const words = (chosen: readonly EventType[]) => chosen.map((type) => eventWords[type]).join(',');
  if (when === undefined || when.when === 'live') {
    const others = eventTypes.filter((type) => !types.includes(type));
    const only = { words: `only ${words(others)}`, said: { filters: { only: others } } };
    const daily: TypedWhen = { ...usual.daily, ...(types.length === 0 ? {} : { except: types }) };
    const offered = { words: `${whenWords.daily} except ${words(types)}`, said: { when: daily } };
    const expected = 'a digest beside it: it names what is posted right away';
    const either = types.length === 0 || others.length === 0 ? [] : [only, offered];
    return { when, faults: [...faults, { option: 'except', value: null, expected, instead: either }] };
  }
  if (types.length > 0) return { when: { ...when, except: types }, faults };
  const instead = all.map((type) => ({
    words: `except ${eventWords[type]}`,
    said: { when: { ...when, except: [type] } },
  }));
  return { when, faults: [...faults, { option: 'except', value, expected: typesExpected, instead }] };
}
