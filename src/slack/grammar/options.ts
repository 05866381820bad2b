import { patternsFault, withoutRoot } from '../../core/model/patterns.ts';
import type { TypedFilters } from '../../core/model/request.ts';
import { type EventType, eventTypes, eventWords, type Ping } from '../../core/model/subscription.ts';
import { isName, maxListLength, maxNameLength } from '../../core/model/typed-text.ts';
import { idAt } from './ids.ts';
import type { Line, SaidOptions, ValueFault } from './line.ts';
import {
  distinctPeople,
  patternsExpected,
  peopleExpected,
  readPatterns,
  readPeople,
  readTypes,
  typesExpected,
} from './lists.ts';
import { readPing } from './pings.ts';
import {
  emptySchedule,
  readDigest,
  readExcept,
  readSchedule,
  type Schedule,
  scheduleOf,
} from './schedule.ts';
import { isGrammarWord, meaningOf, type WordAt, type WordPlace } from './vocabulary.ts';

/** The options of a line as read so far. */
export type TypedOptions = {
  readonly schedule: Schedule;
  readonly faults: ValueFault[];
  itself: boolean;
  /** An option that was typed again adds to its list; one that was cleared is empty. */
  filters: TypedFilters;
  without: readonly EventType[];
  threads?: boolean | undefined;
  name?: string | undefined;
  ping?: Ping | null | undefined;
};

export const noOptions = (): TypedOptions => ({
  schedule: emptySchedule(),
  faults: [],
  itself: false,
  filters: {},
  without: [],
});

/** Reads an option with its values, if one is next. One that a subscription can have only once is not taken again. */
export function readOption(line: Line, options: TypedOptions): boolean {
  const meaning = meaningOf('option', line.peek());
  if (!meaning) return readSchedule(line, options.schedule);
  const { schedule, threads, name, ping } = options;
  const given: Partial<Record<WordAt<'option'>, unknown>> = { threads, as: name, ping, live: schedule.when };
  if (given[meaning.word] !== undefined) return false;
  line.noteSlip(meaning.isSlip);
  line.take();
  readers[meaning.word](line, options);
  return true;
}

const readers: Readonly<Record<WordAt<'option'>, (line: Line, options: TypedOptions) => void>> = {
  itself: (_, options) => {
    options.itself = true;
  },
  only: (line, options) => {
    const value = valueAt(line);
    const only = cleared(line, 'all') ?? readTypes(line);
    if (only === null)
      options.faults.push({ option: 'only', value, expected: typesExpected, instead: onlyOne });
    else
      options.filters = {
        ...options.filters,
        only: [...new Set([...(options.filters.only ?? []), ...only])],
      };
  },
  without: (line, options) => {
    const value = valueAt(line);
    const types = readTypes(line);
    if (types === null) {
      const instead = eachWithout(options);
      options.faults.push({ option: 'without', value, expected: typesExpected, instead });
    } else options.without = [...options.without, ...types];
  },
  in: (line, options) => {
    const value = valueAt(line);
    const paths = cleared(line, 'anywhere') ?? readPatterns(line);
    if (paths === null) options.faults.push({ option: 'in', value, expected: patternsExpected });
    else options.filters = { ...options.filters, paths: [...(options.filters.paths ?? []), ...paths] };
  },
  by: (line, options) => readPeopleOf(line, options, 'by', 'by'),
  not: (line, options) => {
    const isBy = meaningOf('option', line.peek())?.word === 'by';
    if (isBy) line.take();
    if (isBy) readPeopleOf(line, options, 'notBy', 'not by');
    else options.faults.push({ option: 'not by', value: valueAt(line), expected: peopleExpected });
  },
  digest: (line, { schedule }) => readDigest(line, schedule),
  except: (line, { schedule }) => readExcept(line, schedule),
  live: (_, { schedule }) => {
    schedule.when = 'live';
  },
  threads: (line, options) => {
    const meaning = meaningOf('switch', line.peek());
    options.threads = meaning?.word !== 'off';
    if (meaning) line.take();
  },
  ping: (line, options) => {
    options.ping = readPing(line, options.faults);
  },
  as: (line, options) => {
    const next = line.peek();
    const isOther = next === null || isGrammarWord(next) || idAt(line.peek, null) !== null;
    const name = isOther ? '' : next.text.trim();
    const expected = `a name in quotes, of at most ${maxNameLength} characters`;
    if (isName(name)) {
      options.name = name;
      line.take();
    } else options.faults.push({ option: 'as', value: valueAt(line), expected });
  },
};

const onlyOne = eventTypes.map((type) => ({
  words: `only ${eventWords[type]}`,
  said: { filters: { only: [type] } },
}));

/** Offers what is left of the events read so far without each type. */
function eachWithout({ filters, without }: TypedOptions): NonNullable<ValueFault['instead']> {
  return eventTypes.flatMap((type) => {
    const only = onlyWithout(filters.only, [...without, type]);
    return only.length === 0 ? [] : [{ words: `without ${eventWords[type]}`, said: { filters: { only } } }];
  });
}

function valueAt(line: Line): string | null {
  return line.peek()?.text ?? null;
}

/** Takes a word that clears a list, and returns the empty list; null if none is next. */
function cleared(line: Line, place: WordPlace & ('all' | 'anywhere' | 'anyone')): [] | null {
  if (meaningOf(place, line.peek())?.isSlip !== false) return null;
  line.take();
  return [];
}

function readPeopleOf(line: Line, options: TypedOptions, list: 'by' | 'notBy', option: string): void {
  const value = valueAt(line);
  const people = cleared(line, 'anyone') ?? readPeople(line);
  if (people === null) options.faults.push({ option, value, expected: peopleExpected });
  else options.filters = { ...options.filters, [list]: [...(options.filters[list] ?? []), ...people] };
}

/** Returns what the options set, once the whole line is read, and what is wrong with them. */
export function settingsOf(
  line: Line,
  options: TypedOptions,
): { readonly said: SaidOptions; readonly faults: readonly ValueFault[] } {
  const { when, faults } = scheduleOf(line, options.schedule);
  const { only, paths, by, notBy } = options.filters;
  const filters = {
    only: options.without.length === 0 ? only : onlyWithout(only, options.without),
    paths: paths && withoutRoot(paths),
    by: by && distinctPeople(by),
    notBy: notBy && distinctPeople(notBy),
  };
  const said = {
    comprehensive: !options.itself,
    filters,
    when,
    threads: options.threads,
    name: options.name,
    ping: options.ping,
  };
  return { said, faults: [...options.faults, ...faults, ...contradictions(options, filters)] };
}

function onlyWithout(only: readonly EventType[] | undefined, without: readonly EventType[]): EventType[] {
  const from = only?.length ? only : eventTypes;
  return from.filter((type) => !without.includes(type));
}

/** Returns the faults of options that contradict each other, or hold more than a subscription can. */
function contradictions({ without }: TypedOptions, filters: TypedFilters): ValueFault[] {
  const { only, paths = [], by = [], notBy = [] } = filters;
  const faults: ValueFault[] = [];
  if (without.length > 0 && only?.length === 0)
    faults.push({ option: 'without', value: 'all of them', expected: typesExpected });
  const wrong = patternsFault(paths);
  if (wrong) faults.push({ option: 'in', ...wrong });
  for (const [option, list] of [
    ['by', by],
    ['not by', notBy],
  ] as const)
    if (list.length > maxListLength)
      faults.push({ option, value: `${list.length} people`, expected: `at most ${maxListLength} people` });
  return faults;
}
