import { recapDays } from '../../core/model/digest-hours.ts';
import { formatRequest } from '../../core/model/format-request.ts';
import { usualQuiet } from '../../core/model/quiet-hours.ts';
import type { Choice, RecapRequest, TypedQuiet } from '../../core/model/request.ts';
import { type EventType, eventTypes } from '../../core/model/subscription.ts';
import { longestNamed } from '../../core/model/typed-text.ts';
import type { Line } from './line.ts';
import { readTypes, takeToMe, typesExpected } from './lists.ts';
import type { LineReading } from './read-line.ts';
import { readDuration, timeAt, timesIn } from './time.ts';
import { isOneOf, meaningOf } from './vocabulary.ts';
import type { Part, Word } from './words.ts';

const expected = 'two times like 18:00 to 7:00, or off';
const between = ['from', 'to', 'until', 'till', 'between', 'and', '-', '–', '—'];

/** The words of a line about quiet hours. */
type Words = {
  readonly times: string[];
  isOff?: true;
  weekends?: true;
  except?: readonly EventType[];
  /** The first word that was left out. */
  value?: string;
};

/** Reads quiet hours: two times, in one word or several, `weekends`, and what `except` names; or `off`. Nothing at all opens the form. */
export function readQuiet(line: Line): LineReading {
  if (isOneOf(line.peek(), ['hours'])) line.take();
  if (line.peek() === null) return { request: { act: 'quiet' }, onlyShows: true };
  const words = readRest(line);
  const { times, isOff, weekends, except, value = null } = words;
  if (isOff && times.length === 0 && !weekends && except === undefined)
    return { request: { act: 'quiet', hours: 'off' } };
  const passing = { ...(weekends && !isOff && { weekends }), ...(except?.length && { except }) };
  const [from, to, another] = times;
  if (from === undefined || to === undefined || from === to || another !== undefined || isOff) {
    const wrong = together(words) || value;
    const choices = [choice({ from: usualQuiet.from, to: usualQuiet.to, ...passing }), choice('off')];
    return { request: null, faults: [{ option: 'quiet', value: wrong, expected }], choices };
  }
  const hours = { from, to, ...passing };
  if (except?.length === 0) {
    const choices = eventTypes.map((type) => choice({ ...hours, except: [type] }));
    return { request: null, faults: [{ option: 'except', value, expected: typesExpected }], choices };
  }
  return { request: { act: 'quiet', hours } };
}

/** Returns what can't stand together, for the answer. */
function together({ times, isOff, weekends, except }: Words): string {
  const beside = isOff ? [weekends && 'weekends', except && 'except', 'off'] : [];
  return [...times, ...beside].filter(Boolean).join(' and ');
}

function readRest(line: Line): Words {
  const words: Words = { times: [] };
  for (let word = line.peek(); word; word = line.peek()) {
    if (readTimes(line, word, words) || readMeaning(line, word, words)) continue;
    if (isOneOf(word, between)) line.take();
    else {
      words.value ??= word.text;
      line.leave();
    }
  }
  return words;
}

function readTimes(line: Line, word: Word, { times }: Words): boolean {
  const both = timesIn(word);
  const one = both === null ? timeAt(line, true) : null;
  const found = both ?? (one && [one.at]);
  if (!found) return false;
  times.push(...found);
  line.noteSlip(one?.isSlip ?? false);
  line.take(one?.words.length);
  return true;
}

function readMeaning(line: Line, word: Word, words: Words): boolean {
  const meaning = meaningOf('quiet', word);
  if (meaning) {
    line.noteSlip(meaning.isSlip);
    line.take();
    if (meaning.word === 'off') words.isOff = true;
    else words.weekends = true;
    return true;
  }
  if (meaningOf('option', word)?.word !== 'except') return false;
  line.take();
  words.except = [...(words.except ?? []), ...(readTypes(line) ?? [])];
  return true;
}

function choice(hours: TypedQuiet): Choice {
  const request = { act: 'quiet', hours } as const;
  return { words: formatRequest(request), request };
}

const dayMinutes = 24 * 60;

/** Reads since when to list changes, and of what: every word that says neither when nor for whom may be part of a name. */
export function readRecap(line: Line): LineReading {
  let since: RecapRequest['since'];
  let personal: { readonly personal?: true } = {};
  const named: Part[] = [];
  for (let word = line.peek(); word; word = line.peek()) {
    if (takeToMe(line, true)) {
      personal = { personal: true };
      continue;
    }
    const read: RecapRequest['since'] = since === undefined ? readSince(line) : undefined;
    since ??= read;
    if (read !== undefined) continue;
    if (/[\p{L}\p{N}]/u.test(word.text)) named.push(word);
    line.take();
  }
  const typed = named.map(({ text }) => text).join(' ');
  const text = typed.slice(0, longestNamed).trim();
  const request = { act: 'recap', ...personal, since, ...(text && { named: text }) } as const;
  return { request, onlyShows: true };
}

/** Reads `today`, `since monday`, `last 3 days`, `a week`, `2h`. Returns undefined if none is next. */
function readSince(line: Line): RecapRequest['since'] {
  const ahead = isOneOf(line.peek(), ['since', 'last', 'past', 'this']) ? 1 : 0;
  const word = line.peek(ahead);
  const day = meaningOf('since', word) ?? meaningOf('day', word);
  // Behind nothing else, a word that is nearly a day may be a name.
  if (day && (ahead === 1 || !day.isSlip)) {
    line.take(ahead + 1);
    return day.word;
  }
  if (ahead === 1 && isOneOf(word, ['week'])) {
    line.take(ahead + 1);
    return { days: recapDays };
  }
  if (ahead === 1 && word && /\d/.test(word.text)) line.take();
  const minutes = readDuration(line);
  if (minutes === null || minutes < 1) return undefined;
  const most = Math.min(minutes, recapDays * dayMinutes);
  return most % dayMinutes === 0 ? { days: most / dayMinutes } : { minutes: most };
}
