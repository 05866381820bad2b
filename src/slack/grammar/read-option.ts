import { type EventType, eventWords, type PersonName } from '../../core/model/subscription.ts';
import { isName, maxNameLength } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf, nearestEventType, onlyOthers, readEventTypes, typesIn } from './event-types.ts';
import { across, before, Misunderstood, type Stretch } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { endsList, optionRows } from './option-rows.ts';
import { folderOption, isPath } from './paths.ts';
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
  at: Partial<Record<'only' | 'threads', Stretch | undefined>>;
};

const typesExpected = 'added, changed or deleted';

/** Reads `itself`: the resource without its contents. */
export function readItself(cursor: Cursor, typed: Typed): void {
  const word = cursor.last();
  if (typed.kind === 'file' || typed.kind === 'document') {
    throw new Misunderstood(word, `no “itself”, since a ${typed.kind} has no contents`, { meant: '' });
  }
  if (typed.itself) throw new Misunderstood(word, '“itself” only once', { meant: '' });
  typed.itself = true;
}

/** Reads the event types after `only`. */
export function readOnly(cursor: Cursor, typed: Typed): void {
  const only = cursor.last();
  const first = cursor.peek();
  if (first && only) expectTypes(first, only, cursor.me);
  const types = cursor.accept('all', 'everything') ? [] : readEventTypes(cursor, typesExpected);
  const at = cursor.stretchFrom(only);
  if (typed.only && !sameSet(typed.only, types)) {
    const follows = cursor.before(only)?.end === typed.at.only?.end;
    const correction = bothMeant(typed, types, { only, at, follows });
    throw new Misunderstood(first, '“only” once, with all its types after it', correction);
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
function expectTypes(first: Word, only: Part, me: string | null): void {
  const [part] = first.parts;
  const types = first.quoted ? null : typesIn(first.text);
  if (types !== null) throw new Misunderstood(first, typesExpected, { meant: types });
  const instead = (meant: string) => new Misunderstood(first, typesExpected, { meant, at: only });
  if (endsList(first)) throw instead('');
  if (part && personOf(part, me)) throw instead('by');
  if (first.text.includes('*')) throw instead('in');
}

/** Reads the event types after a digest's `except`. */
export function readExcept(cursor: Cursor, typed: Typed): void {
  const word = cursor.last();
  const next = cursor.peek();
  if (!word || !next) throw new Misunderstood(null, typesExpected);
  const instead = (meant: string, at: Stretch = word) =>
    new Misunderstood(next, typesExpected, { meant, at });
  const [part] = next.parts;
  if (isOneOf(next, ['by'])) throw instead('not');
  if (part && personOf(part, cursor.me)) throw instead('not by');
  const weekends = weekendsAhead(cursor);
  if (weekends) throw instead('weekdays', across(word, weekends));
  const types = readEventTypes(cursor, typesExpected);
  if (typed.except && !sameSet(typed.except.types, types)) {
    throw new Misunderstood(next, '“except” once, with all its types after it');
  }
  typed.except = { types, word: { ...word, end: cursor.last()?.end ?? word.end } };
}

/** Reads the people after `by`. */
export function readBy(cursor: Cursor, typed: Typed): void {
  const by = cursor.last();
  const next = cursor.peek();
  if (by && next && isOneOf(next, ['not'])) {
    throw new Misunderstood(next, '“not” before “by”', { meant: 'not by', at: across(by, next) });
  }
  typed.by = readPeople(cursor, typed.by, {
    none: 'anyone',
    alike: ['anybody', 'everyone', 'everybody', 'all'],
    against: typed.notBy,
  });
}

/** Reads the people after `not by`. */
export function readNotBy(cursor: Cursor, typed: Typed): void {
  const not = cursor.last();
  if (!cursor.accept('by')) throw withoutBy(cursor, not);
  typed.notBy = readPeople(cursor, typed.notBy, {
    none: 'nobody',
    alike: ['none', 'anyone', 'anybody', 'noone'],
    against: typed.by,
  });
}

/** Makes the error for `not` without `by`, with a correction for `not in Archive`, `not deleted`, `not @dana` and `not threads`. */
function withoutBy(cursor: Cursor, not: Part | null): Misunderstood {
  const word = cursor.peek();
  const [part] = word?.parts ?? [];
  const wrong = (meant?: string, at?: Stretch) => new Misunderstood(word, 'by', { meant, at });
  if (!word || !part || !not) return wrong();
  const path = isOneOf(word, ['in']) ? cursor.peek(1) : null;
  if (path && isPath(path)) return wrong(folderOption(path.text, '!'), across(not, path));
  if (eventTypeOf(part)) {
    return wrong(onlyOthers(readEventTypes(cursor, 'by')), cursor.stretchFrom(not));
  }
  const near = personOf(part, cursor.me) ? undefined : nearestEventType(part.text);
  if (near !== undefined) return wrong(near);
  const weekends = weekendsAhead(cursor);
  if (weekends) return wrong('weekdays', across(not, weekends));
  const meant = opposites.get(nearest(word.text, switches) ?? '');
  if (meant !== undefined) return wrong(meant, across(not, word));
  return personOf(part, cursor.me) ? wrong('by', before(word)) : wrong();
}

/** What `not threads` and `no digest` mean. */
const opposites = new Map([
  ['threads', 'threads off'],
  ['digest', 'live'],
]);
const switches = optionRows.filter(({ word }) => opposites.has(word));
const meantSwitches = [
  { word: 'on', alike: ['yes', 'true', 'enabled', 'always'] },
  { word: 'off', alike: 'no none false never disabled of stop'.split(' ') },
];

/** Reads `threads`, alone or with `on` or `off`. */
export function readThreads(cursor: Cursor, typed: Typed): void {
  const option = cursor.last();
  const word = cursor.peek();
  const said = cursor.accept('on', 'off');
  const meant = word && !said ? nearest(word.text, meantSwitches) : undefined;
  if (meant !== undefined) throw new Misunderstood(word, 'on or off', { meant });
  const again = cursor.peek();
  const expected = '“threads on” or “threads off”, not both';
  if (said && isOneOf(again, ['on', 'off'])) {
    throw new Misunderstood(again, expected, { meant: '', at: said });
  }
  const threads = !isOneOf(said, ['off']);
  if (typed.threads === !threads) {
    throw new Misunderstood(word, expected, { meant: '', at: typed.at.threads });
  }
  typed.threads = threads;
  typed.at.threads = cursor.stretchFrom(option);
}

/** Reads the name after `as`. */
export function readName(cursor: Cursor, typed: Typed): void {
  const expected = `a name in quotes, of at most ${maxNameLength} characters`;
  const word = cursor.take(expected);
  const name = word.text.trim();
  if (!isName(name)) throw new Misunderstood(word, expected);
  if (typed.name !== undefined && typed.name !== name) throw new Misunderstood(word, 'one name');
  typed.name = name;
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((element) => other.includes(element));
}
