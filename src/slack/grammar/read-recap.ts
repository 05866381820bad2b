import { recapDays } from '../../core/model/recap-since.ts';
import type { RecapRequest } from '../../core/model/request.ts';
import { longestNamed } from '../../core/model/typed-text.ts';
import type { Line } from './line.ts';
import { takeMine, takeToMe } from './lists.ts';
import type { LineReading } from './read-line.ts';
import { readDuration } from './time.ts';
import { isOneOf, meaningOf } from './vocabulary.ts';
import type { Part } from './words.ts';

const dayMinutes = 24 * 60;

/** Reads since when to list changes, and of what: every word that says neither when nor for whom may be part of a name. */
export function readRecap(line: Line): LineReading {
  let since: RecapRequest['since'];
  let personal: { readonly personal?: true } = {};
  const named: Part[] = [];
  for (let word = line.peek(); word; word = line.peek()) {
    if (takeToMe(line) || takeMine(line)) {
      personal = { personal: true };
      continue;
    }
    const read: RecapRequest['since'] = since === undefined ? readSince(line) : undefined;
    since ??= read;
    if (read !== undefined) continue;
    if (/[\p{L}\p{N}]/u.test(word.text)) named.push(word);
    line.take();
  }
  const text = named
    .map((part) => part.text)
    .join(' ')
    .slice(0, longestNamed)
    .trim();
  const request = { act: 'recap', ...personal, since, ...(text === '' ? {} : { named: text }) } as const;
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
