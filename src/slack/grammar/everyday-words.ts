import { type Cursor, isOneOf } from './cursor.ts';
import { eventTypeOf } from './event-types.ts';
import type { Stretch } from './misunderstood.ts';
import { isPolite } from './politeness.ts';
import { looksLikeTime } from './time.ts';
import type { Word } from './words.ts';

/** Words among the options that carry no meaning. */
const fillers = [
  'the',
  'a',
  'an',
  'and',
  'with',
  'for',
  'all',
  'everything',
  'on',
  'at',
  'to',
  '*',
  '**',
  'its',
  'content',
  'contents',
  'including',
  'comprehensive',
  'here',
  'reply',
  'replies',
];
/** Words after a time that add nothing to it. */
const clockWords = [
  'every',
  'each',
  'day',
  'everyday',
  'o’clock',
  "o'clock",
  'oclock',
  'sharp',
  'hrs',
  'hours',
  'uhr',
];
/** Words after event types: `only new files`. */
const typedThings = ['file', 'files', 'items', 'documents', 'changes', 'events', 'ones'];
/** Everything that happens, and not the event type: `changes by dana@example.com`. */
const happenings = ['changes', 'updates', 'events', 'activity'];
const digests = ['digest', 'digests', 'summary'];

/** What people say in several words; each place lists the words that can stand there. */
const phrases: readonly { readonly places: readonly (readonly string[])[]; readonly meant: string }[] = [
  { places: [['hourly'], digests], meant: 'digest hourly' },
  { places: [['daily'], digests], meant: 'digest daily' },
  { places: [['all', 'any', 'everything'], happenings], meant: '' },
  { places: [['all', 'everything'], ['in'], ['it']], meant: '' },
  {
    places: [
      ['for', 'to'],
      ['me', 'myself'],
    ],
    meant: 'to me',
  },
  { places: [['dm', 'dms', 'privately', 'personally']], meant: 'to me' },
];

/** Returns what the next words mean among the options, if they are a common phrase; null if not. */
export function phraseMeant(cursor: Cursor): { readonly meant: string; readonly at: Stretch } | null {
  const phrase = phrases.find(({ places }) =>
    places.every((words, index) => isOneOf(cursor.peek(index), words)),
  );
  const [first, last] = [cursor.peek(), cursor.peek((phrase?.places.length ?? 1) - 1)];
  return phrase && first && last ? { meant: phrase.meant, at: { start: first.start, end: last.end } } : null;
}

/** Whether the next word adds nothing to the options. */
export function meansNothing(cursor: Cursor, word: Word): boolean {
  if (isOneOf(word, fillers) || isPolite(word)) return true;
  const [last, next] = [cursor.last(), cursor.peek(1)];
  if (isOneOf(word, happenings) && isOneOf(next, ['by', 'in', 'from'])) return true;
  if (looksLikeTime(last) && isOneOf(word, clockWords)) return true;
  return last !== null && eventTypeOf(last) !== null && isOneOf(word, typedThings);
}
