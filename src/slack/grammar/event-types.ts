import { type EventType, eventTypes, eventWords } from '../../core/model/subscription.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { type Candidate, nearest } from './nearest.ts';
import { endsList } from './option-rows.ts';
import type { Part, Word } from './words.ts';
import { fold } from './words.ts';

/** What people can type for each type: the service's own words and the ones people read. */
const spellings: Readonly<Record<EventType, readonly string[]>> = {
  create: ['create', 'creates', 'created', 'add', 'adds', 'added'],
  update: ['update', 'updates', 'updated', 'change', 'changes', 'changed'],
  delete: ['delete', 'deletes', 'deleted', 'remove', 'removes', 'removed'],
};

const candidates: readonly Candidate[] = [
  { word: 'added', alike: 'new uploaded uploads additions creation creations'.split(' ') },
  { word: 'changed', alike: 'modified edited modify edit edits'.split(' ') },
  { word: 'deleted', alike: 'trashed gone deletions removals'.split(' ') },
];
const serviceCandidates: readonly Candidate[] = eventTypes.map((word) => ({ word }));
const joiners = ['and', 'or', '&'];

/** Returns the type that a word stands for; null if none. */
export function eventTypeOf({ text }: Pick<Part, 'text'>): EventType | null {
  const word = fold(text);
  return eventTypes.find((type) => spellings[type].includes(word)) ?? null;
}

/** Returns the type that was probably meant, as it would be typed. */
export function nearestEventType(text: string): string | undefined {
  return nearest(text, candidates) ?? nearest(text, serviceCandidates);
}

/** The option for all types but these; undefined if there are none. */
export function onlyOthers(types: readonly EventType[]): string | undefined {
  const others = eventTypes.filter((type) => !types.includes(type));
  return others.length === 0 ? undefined : `only ${others.map((type) => eventWords[type]).join(',')}`;
}

/** Returns the types in `added/deleted` or `added|deleted` as they would be typed; null if it is anything else. */
export function typesIn(text: string): string | null {
  const parts = text.split(/[/|+;]/);
  const types = parts.map((part) => (eventTypeOf({ text: part }) ? part : nearestEventType(part)));
  return parts.length > 1 && types.every((type) => type !== undefined) ? types.join(',') : null;
}

/** Reads types up to the next option. Throws `Misunderstood`. */
export function readEventTypes(cursor: Cursor, expected: string): readonly EventType[] {
  const types = new Set<EventType>();
  let word: Word | null = cursor.take(expected);
  let readTo = word.start;
  while (word) {
    for (const part of word.parts) {
      types.add(readType(part));
      readTo = part.end;
    }
    if (isOneOf(cursor.peek(), joiners) && looksLikeTypes(cursor.peek(1))) cursor.skip();
    word = cursor.takeUnless((next) => endsList(next) || !looksLikeTypes(next));
  }
  return [...types];

  function readType(part: Part): EventType {
    const type = eventTypeOf(part);
    if (type) return type;
    const meant = nearestEventType(part.text);
    const typed = meant === undefined ? null : eventTypeOf({ text: meant });
    // In `changed and renamed`, the type is there already.
    const isTwice = typed !== null && types.has(typed);
    const at = { start: readTo, end: part.end };
    throw new Misunderstood(part, expected, isTwice ? { meant: '', at } : { meant });
  }
}

function looksLikeTypes(word: Word | null): boolean {
  const [first, more] = word?.parts ?? [];
  return (
    first !== undefined && (!!more || !!eventTypeOf(first) || nearestEventType(first.text) !== undefined)
  );
}
