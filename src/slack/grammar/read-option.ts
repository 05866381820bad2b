import { type EventType, eventWords, type PersonName } from '../../core/model/subscription.ts';
import { isName, maxNameLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf, nearestEventType, onlyOthers, readEventTypes, typesIn } from './event-types.ts';
import { before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, optionRows, optionWords } from './option-rows.ts';
import { outsideFolder } from './paths.ts';
import { personOf, readPeople } from './people.ts';
import type { TypedSchedule } from './schedule.ts';
import { weekendsAhead } from './time.ts';
import type { Part, Word } from './words.ts';

/** The options read so far. */
export type Typed = TypedSchedule & {
  readonly kind: string;
  itself: boolean;
  only?: readonly EventType[] | undefined;
  paths?: readonly string[] | undefined;
  by?: readonly PersonName[] | undefined;
  notBy?: readonly PersonName[] | undefined;
  threads?: boolean | undefined;
  name?: string | undefined;
  /** Where an option was typed that can have only one value. If it is typed again, differently, the later one is probably meant. */
  at: Partial<Record<'only' | 'threads' | 'name', Stretch | undefined>>;
};

/** Reads `itself`: the resource without its contents. */
export function readItself(cursor: Cursor, typed: Typed, example: string): void {
  const word = cursor.last();
  if (typed.kind === 'file' || typed.kind === 'document') {
    const expected = `no itself, as a ${typed.kind} has no contents`;
    throw new Misunderstood({ word, expected, example, meant: '' });
  }
  if (typed.itself) throw new Misunderstood({ word, expected: 'itself only once', example, meant: '' });
  typed.itself = true;
}

/** Reads the event types after `only`. */
export function readOnly(cursor: Cursor, typed: Typed, example: string): void {
  const wanted = { expected: 'added, changed or deleted', example };
  const only = cursor.last();
  const first = cursor.peek();
  const { paths, by, notBy, when, weekdays } = typed;
  // `new files only`
  if (!first && only && (typed.only ?? paths ?? by ?? notBy ?? when ?? weekdays))
    throw new Misunderstood({ ...wanted, word: only, meant: '' });
  if (first && only) expectTypes(first, only, { ...wanted, me: cursor.me });
  const types = cursor.accept('all', 'everything') ? [] : readEventTypes(cursor, wanted);
  const at = cursor.stretchFrom(only);
  if (typed.only && !sameSet(typed.only, types)) {
    const expected = 'only once, with all its types after it';
    const follows = cursor.before(only)?.end === typed.at.only?.end;
    throw new Misunderstood({
      word: first,
      expected,
      example,
      ...bothMeant(typed, types, { only, at, follows }),
    });
  }
  typed.only = types;
  typed.at.only = at;
}

/**
 * Corrects `only added only deleted` to `only added and deleted`. If there are other options in between, the later one gets all types, and
 * then the earlier one is dropped.
 */
function bothMeant(
  { only = [], at }: Typed,
  types: readonly EventType[],
  here: { readonly only: Part | null; readonly at: Stretch | undefined; readonly follows: boolean },
) {
  const isAll = types.length === 0 || only.every((type) => types.includes(type));
  if (isAll) return { meant: '', at: at.only };
  if (here.follows && only.length > 0) return { meant: 'and', at: here.only ?? undefined };
  const words = [...new Set([...only, ...types])].map((type) => eventWords[type]);
  return { meant: `only ${words.join(',')}`, at: here.at };
}

/** Checks that types follow `only`: people also type it before another option, or instead of one. */
function expectTypes(
  first: Word,
  only: Part,
  { me, ...wanted }: { expected: string; example: string; me: string | null },
): void {
  const [part] = first.parts;
  const types = first.quoted ? null : typesIn(first.text);
  if (types !== null) throw new Misunderstood({ ...wanted, word: first, meant: types });
  if (isOneOf(first, optionWords)) throw new Misunderstood({ ...wanted, word: first, meant: '', at: only });
  if (part && personOf(part, me)) throw new Misunderstood({ ...wanted, word: first, meant: 'by', at: only });
  if (/[*/]/.test(first.text)) throw new Misunderstood({ ...wanted, word: first, meant: 'in', at: only });
}

/** Reads the event types after a digest's `except`. */
export function readExcept(cursor: Cursor, typed: Typed, example: string): void {
  const word = cursor.last();
  const next = cursor.peek();
  const wanted = { expected: 'added, changed or deleted', example };
  if (!word || !next) throw new Misunderstood({ ...wanted, word: null, meant: 'deleted' });
  const [part] = next.parts;
  if (isOneOf(next, ['by'])) throw new Misunderstood({ ...wanted, word: next, meant: 'not', at: word });
  if (part && personOf(part, cursor.me)) {
    throw new Misunderstood({ ...wanted, word: next, meant: 'not by', at: word });
  }
  const weekends = weekendsAhead(cursor);
  if (weekends) {
    throw new Misunderstood({
      ...wanted,
      word: next,
      meant: 'weekdays',
      at: { ...weekends, start: word.start },
    });
  }
  if (isOneOf(next, ['all', 'everything'])) throw new Misunderstood({ ...wanted, word: next });
  if (part && !eventTypeOf(part) && nearestEventType(part.text) === undefined && !endsList(next)) {
    const at = { start: word.start, end: next.end };
    throw new Misunderstood({ ...wanted, word: next, meant: outsideFolder(next.text), at });
  }
  const types = readEventTypes(cursor, wanted);
  if (typed.except && !sameSet(typed.except.types, types)) {
    const expected = 'except only once, with all its types after it';
    throw new Misunderstood({ ...wanted, word: next, expected });
  }
  typed.except = { types, word: { ...word, end: cursor.last()?.end ?? word.end } };
}

/** Reads the people after `by`. */
export function readBy(cursor: Cursor, typed: Typed, example: string): void {
  const by = cursor.last();
  const next = cursor.peek();
  if (by && isOneOf(next, ['not'])) {
    const at = { start: by.start, end: next?.end ?? by.end };
    throw new Misunderstood({ word: next, expected: 'not before by', example, meant: 'not by', at });
  }
  typed.by = readPeople(cursor, typed.by, {
    none: 'anyone',
    alike: ['anybody', 'everyone', 'everybody', 'all'],
    example,
    against: typed.notBy,
  });
}

/** Reads the people after `not by`. */
export function readNotBy(cursor: Cursor, typed: Typed, example: string): void {
  const not = cursor.last();
  if (!cursor.accept('by')) throw withoutBy(cursor, not, example);
  typed.notBy = readPeople(cursor, typed.notBy, {
    none: 'nobody',
    alike: ['none', 'anyone', 'anybody', 'noone'],
    example,
    against: typed.by,
  });
}

/** Makes the error for `not` without `by`, with a correction for `not in Archive`, `not deleted`, `not @dana` and `not threads`. */
function withoutBy(cursor: Cursor, not: Part | null, example: string): Misunderstood {
  const word = cursor.peek();
  const wanted = { word, expected: 'by', example };
  const [part] = word?.parts ?? [];
  if (!word || !part || !not) return new Misunderstood(wanted);
  const path = isOneOf(word, ['in']) ? cursor.peek(1) : null;
  if (path) {
    const at = { start: not.start, end: path.end };
    return new Misunderstood({ ...wanted, meant: outsideFolder(path.text), at });
  }
  if (eventTypeOf(part)) {
    const meant = onlyOthers(readEventTypes(cursor, wanted));
    const at = { start: not.start, end: cursor.last()?.end ?? word.end };
    return new Misunderstood({ ...wanted, meant, at });
  }
  const near = personOf(part, cursor.me) ? undefined : nearestEventType(part.text);
  if (near !== undefined) return new Misunderstood({ ...wanted, meant: near });
  const weekends = weekendsAhead(cursor);
  if (weekends)
    return new Misunderstood({ ...wanted, meant: 'weekdays', at: { ...weekends, start: not.start } });
  const meant = opposites.get(nearest(word.text, switches) ?? '');
  if (meant !== undefined)
    return new Misunderstood({ ...wanted, meant, at: { start: not.start, end: word.end } });
  if (isOneOf(word, optionWords)) return new Misunderstood(wanted);
  return new Misunderstood({ ...wanted, meant: 'by', at: before(word) });
}

/** What `not threads` and `no digest` mean. */
const opposites = new Map([
  ['threads', 'threads off'],
  ['digest', 'live'],
]);
const switches = optionRows.filter(({ word }) => opposites.has(word));

/** Reads `threads`, alone or with `on` or `off`. */
export function readThreads(cursor: Cursor, typed: Typed, example: string): void {
  const wanted = { expected: 'on or off', example };
  const option = cursor.last();
  const word = cursor.peek();
  if (word && !isOneOf(word, ['on', 'off', ...optionWords])) {
    const isOff = isOneOf(word, ['no', 'none', 'false', 'never', 'disabled', 'of', 'stop']);
    throw new Misunderstood({ ...wanted, word, meant: isOff ? 'off' : 'on' });
  }
  const said = cursor.accept('on', 'off');
  const again = cursor.peek();
  const expected = 'threads either on or off';
  if (said && isOneOf(again, ['on', 'off'])) {
    throw new Misunderstood({ ...wanted, word: again, expected, meant: '', at: said });
  }
  const threads = !isOneOf(said, ['off']);
  if (typed.threads === !threads) {
    throw new Misunderstood({ ...wanted, word, expected, meant: '', at: typed.at.threads });
  }
  typed.threads = threads;
  typed.at.threads = cursor.stretchFrom(option);
}

/** Reads the name after `as`. */
export function readName(cursor: Cursor, typed: Typed, example: string): void {
  const as = cursor.last();
  const wanted = { expected: `a name in quotes, of at most ${maxNameLength} characters`, example };
  const word = cursor.take(wanted);
  const more = word.quoted ? [] : cursor.ahead(endsList);
  if (more.length > 0) {
    const words = [word, ...more].map(({ text }) => text.replaceAll('"', '')).join(' ');
    const at = { start: word.start, end: more.at(-1)?.end ?? word.end };
    throw new Misunderstood({ ...wanted, word, meant: `"${words}"`, at });
  }
  const name = word.text.trim();
  if (!isName(name)) throw new Misunderstood({ ...wanted, word });
  if (typed.name !== undefined && typed.name !== name) {
    throw new Misunderstood({ ...wanted, word, expected: 'one name', meant: '', at: typed.at.name });
  }
  typed.name = name;
  typed.at.name = cursor.stretchFrom(as);
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((element) => other.includes(element));
}
