import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf } from './event-types.ts';
import { across, type Stretch } from './misunderstood.ts';
import { isPolite } from './politeness.ts';
import { looksLikeTime } from './time.ts';
import type { Word } from './words.ts';

/** Words among the options that carry no meaning. */
const fillers = [
  ...'the a an and with for all everything on at to * **'.split(' '),
  ...'its content contents including comprehensive here reply replies'.split(' '),
];
/** Words after a time that add nothing to it. */
const clockWords = "every each day everyday o’clock o'clock oclock sharp hrs hours uhr".split(' ');
/** Words after event types: `only new files`. */
const typedThings = ['file', 'files', 'items', 'documents', 'changes', 'events', 'ones'];
/** Everything that happens, and not the event type: `changes by dana@example.com`. */
const happenings = ['changes', 'updates', 'events', 'activity'];
const digests = ['digest', 'digests', 'summary'];

/** What people say in several words; each place lists the words that can stand there. */
const phrases: readonly (readonly [meant: string, ...places: (readonly string[])[]])[] = [
  ['digest hourly', ['hourly'], digests],
  ['digest daily', ['daily'], digests],
  ['', ['all', 'any', 'everything'], happenings],
  ['', ['all', 'everything'], ['in'], ['it']],
  ['to me', ['for', 'to'], ['me', 'myself']],
  ['to me', ['dm', 'dms', 'privately', 'personally']],
];

/** Returns what the next words mean among the options, if they are a common phrase; null if not. */
export function phraseMeant(cursor: Cursor): { readonly meant: string; readonly at: Stretch } | null {
  for (const [meant, ...places] of phrases) {
    const words = places.map((_, index) => cursor.peek(index));
    const [first, last] = [words[0], words.at(-1)];
    const isMeant = places.every((place, index) => isOneOf(words[index] ?? null, place));
    if (isMeant && first && last) return { meant, at: across(first, last) };
  }
  return null;
}

/** Whether the next word adds nothing to the options. */
export function meansNothing(cursor: Cursor, word: Word): boolean {
  if (isOneOf(word, fillers) || isPolite(word)) return true;
  const [last, next] = [cursor.last(), cursor.peek(1)];
  if (isOneOf(word, happenings) && isOneOf(next, ['by', 'in', 'from'])) return true;
  if (looksLikeTime(last) && isOneOf(word, clockWords)) return true;
  return last !== null && eventTypeOf(last) !== null && isOneOf(word, typedThings);
}
