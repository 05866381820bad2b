import { patternsFault, withoutRoot } from '../../core/model/patterns.ts';
import type { TypedFilters } from '../../core/model/request.ts';
import {
  type EventType,
  eventTypes,
  eventWords,
  type Mentioned,
  type Ping,
  pingedByDefault,
} from '../../core/model/subscription.ts';
import {
  isGroupHandle,
  isGroupId,
  isName,
  maxListLength,
  maxNameLength,
} from '../../core/model/typed-text.ts';
import { idAt } from './ids.ts';
import type { Line, SaidOptions, ValueFault } from './line.ts';
import {
  distinctPeople,
  patternsExpected,
  peopleExpected,
  personOf,
  readPatterns,
  readPeople,
  readTypes,
  typesExpected,
} from './lists.ts';
import { readDigest, readExcept, readSchedule, type Schedule, scheduleOf } from './schedule.ts';
import { isGrammarWord, isOneOf, meaningOf, type WordAt } from './vocabulary.ts';
import type { Part } from './words.ts';

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
  schedule: {},
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

/** Reads what follows an option. */
type OptionReader = (line: Line, options: TypedOptions) => void;

/** Makes the reader of an option with a list, which a word of `clears` empties. One that is typed again adds to it. */
function listReader<Key extends keyof TypedFilters>(
  key: Key,
  fault: Omit<ValueFault, 'value'>,
  clears: 'all' | 'anywhere' | 'anyone',
  read: (line: Line) => TypedFilters[Key] | null,
): OptionReader {
  return (line, options) => {
    const value = valueAt(line);
    const isCleared = meaningOf(clears, line.peek())?.isSlip === false;
    if (isCleared) line.take();
    const found = isCleared ? [] : read(line);
    if (!found) options.faults.push({ ...fault, value });
    else options.filters = { ...options.filters, [key]: [...(options.filters[key] ?? []), ...found] };
  };
}

const onlyOne = eventTypes.map((type) => ({
  words: `only ${eventWords[type]}`,
  said: { filters: { only: [type] } },
}));

const readNotBy = listReader('notBy', { option: 'not by', expected: peopleExpected }, 'anyone', readPeople);

const readers: Readonly<Record<WordAt<'option'>, OptionReader>> = {
  itself: (_, options) => {
    options.itself = true;
  },
  only: listReader('only', { option: 'only', expected: typesExpected, instead: onlyOne }, 'all', readTypes),
  without: (line, options) => {
    const value = valueAt(line);
    const types = readTypes(line);
    if (types === null) {
      const instead = eachWithout(options);
      options.faults.push({ option: 'without', value, expected: typesExpected, instead });
    } else options.without = [...options.without, ...types];
  },
  in: listReader('paths', { option: 'in', expected: patternsExpected }, 'anywhere', readPatterns),
  by: listReader('by', { option: 'by', expected: peopleExpected }, 'anyone', readPeople),
  not: (line, options) => {
    if (meaningOf('option', line.peek())?.word === 'by') {
      line.take();
      readNotBy(line, options);
    } else options.faults.push({ option: 'not by', value: valueAt(line), expected: peopleExpected });
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

/** Returns what the options set, once the whole line is read, and what is wrong with them. */
export function settingsOf(
  line: Line,
  options: TypedOptions,
): { readonly said: SaidOptions; readonly faults: readonly ValueFault[] } {
  const { when, faults } = scheduleOf(line, options.schedule);
  const { only, paths, by, notBy } = options.filters;
  const filters = {
    only: options.without.length === 0 ? only && [...new Set(only)] : onlyWithout(only, options.without),
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
  const from = only?.length ? [...new Set(only)] : eventTypes;
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

/** Reads what follows `ping`: a person or a group, and for which events; null for `off`, undefined if that is missing or wrong. */
function readPing(line: Line, faults: ValueFault[]): Ping | null | undefined {
  const word = line.peek();
  if (!word?.text.startsWith('@') && meaningOf('anyone', word)?.word === 'off') {
    line.take();
    return null;
  }
  const mentioned = word && mentionedIn(word, line.with.me ?? null);
  if (!mentioned) {
    faults.push({ option: 'ping', value: word?.text ?? null, expected: expectedFor(word) });
    return undefined;
  }
  line.take();
  if (!isOneOf(line.peek(), ['on'])) return { ...mentioned, on: pingedByDefault };
  line.take();
  const value = line.peek()?.text ?? null;
  const types = takeAll(line) ? eventTypes : readTypes(line);
  if (types !== null) return { ...mentioned, on: eventTypes.filter((type) => types.includes(type)) };
  const instead = eventTypes.map((type) => ({
    words: `ping ${word.text} on ${eventWords[type]}`,
    said: { ping: { ...mentioned, on: [type] } },
  }));
  faults.push({ option: 'on', value, expected: typesExpected, instead });
  return undefined;
}

function takeAll(line: Line): boolean {
  const isAll = meaningOf('all', line.peek())?.word === 'all';
  if (isAll) line.take();
  return isAll;
}

/** Returns whom a mention names; null if the word is none. Slack marks up what it recognizes; copied text is tried as it is. */
function mentionedIn(part: Part, me: string | null): (Mentioned & Pick<Ping, 'name'>) | null {
  const { text, mark } = part;
  const [, copied, label] = /^<!subteam\^(\w+)(?:\|@?([^>]*))?>$/.exec(text) ?? [];
  const id = mark?.kind === 'group' ? mark.id : copied;
  if (id !== undefined) {
    const name = mark?.kind === 'group' ? text.replace(/^@/, '') : label;
    if (!isGroupId(id)) return null;
    return {
      kind: 'group',
      id,
      ...(name !== undefined && name !== id && isGroupHandle(name) ? { name } : {}),
    };
  }
  const person = personOf(part, me);
  return person && 'userId' in person ? { kind: 'user', id: person.userId } : null;
}

function expectedFor(word: Part | null): string {
  const isBroadcast = /^(?:<!|@)?(?:channel|here|everyone|all)\b/i.test(word?.text ?? '');
  if (isBroadcast) return 'one person or user group. I never mention a whole channel';
  return 'a person or user group picked from the list that Slack opens when you type @';
}
