import { maxMuteMinutes } from '../../core/model/typed-text.ts';
import { idAt } from './ids.ts';
import type { Line } from './line.ts';
import { bare, isOneOf, meaningOf, type WordAt } from './vocabulary.ts';
import type { Word } from './words.ts';

const timeForm = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/;
const named: Readonly<Record<string, string>> = { noon: '12:00', midday: '12:00', midnight: '00:00' };

/** A time of day as `HH:MM`, and the words it takes. `isSlip`: an hour alone, so that the person is asked which half of the day is meant. */
export type TypedTime = { readonly at: string; readonly words: readonly Word[]; readonly isSlip: boolean };

/**
 * Returns the time of day that is next, with or without `at`: `9:00`, `09:00`, `9.00`, `9 am` or `noon`. Behind `at`, and where a time
 * `isExpected`, `9` is one too. Null if none is.
 */
export function timeAt(line: Line, isExpected = false): TypedTime | null {
  const first = isOneOf(line.peek(), ['at']) ? 1 : 0;
  const [word, next] = [line.peek(first), line.peek(first + 1)];
  if (word === null || word.quoted) return null;
  const half = isOneOf(next, ['am', 'pm']) ? bare(next?.text ?? '') : '';
  const exact = named[bare(word.text)] ?? toTime(bare(word.text) + half);
  const isHour =
    (isExpected || first === 1) &&
    /^\d{1,2}$/.test(bare(word.text)) &&
    idAt((ahead) => line.peek(first + ahead), null) === null;
  const at = exact ?? (isHour ? toTime(`${bare(word.text)}:00`) : null);
  const words = Array.from({ length: first + (half === '' ? 1 : 2) }, (_, ahead) => line.peek(ahead) ?? word);
  return at === null ? null : { at, words, isSlip: exact === null };
}

/** Returns what is next where a time is expected, if it looks like one and is none: `25:00`. Null otherwise. */
export function wrongTimeAt(line: Line): Word | null {
  const first = isOneOf(line.peek(), ['at']) ? 1 : 0;
  const word = line.peek(first);
  const looksLikeOne = word !== null && !word.quoted && /^\d{1,2}(?!\d)/.test(bare(word.text));
  return looksLikeOne && timeAt(line) === null && idAt((ahead) => line.peek(first + ahead), null) === null
    ? word
    : null;
}

/** Returns the two times in one word: `18:00-7:00`, `18-7`, `6pm-8am`. Null if it is not that. */
export function timesIn({ text, quoted }: Word): readonly [from: string, to: string] | null {
  const [, from = '', to = ''] = /^([^-–—]+)[-–—]([^-–—]+)$/.exec(quoted ? '' : bare(text)) ?? [];
  const [one, other] = [from, to].map((time) => toTime(/^\d{1,2}$/.test(time) ? `${time}:00` : time));
  return one && other ? [one, other] : null;
}

function toTime(text: string): string | null {
  const [, hour, minute, half] = timeForm.exec(text) ?? [];
  if (minute === undefined && half === undefined) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const wrong = half !== undefined && (Number(hour) < 1 || Number(hour) > 12);
  if (wrong || hours > 23 || Number(minute ?? 0) > 59) return null;
  return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
}

const minutesOf: Readonly<Record<WordAt<'unit'>, number>> = {
  minutes: 1,
  hours: 60,
  days: 24 * 60,
  weeks: 7 * 24 * 60,
};

/** Reads a duration: `2h`, `90 minutes`, `1h30m` or `1 hour and 30 minutes`. Returns it in minutes; null if none is next. */
export function readDuration(line: Line): number | null {
  let minutes = 0;
  let isRead = false;
  for (;;) {
    const joint = isRead && isOneOf(line.peek(), ['and']) ? 1 : 0;
    const part = durationAt(line, joint);
    if (part === null) return isRead ? minutes : null;
    minutes += part.minutes;
    isRead = true;
    line.take(joint + part.count);
  }
}

function durationAt(line: Line, ahead: number): { readonly minutes: number; readonly count: number } | null {
  const word = line.peek(ahead);
  const text = bare(word?.text ?? '');
  if (/^\d{1,6}$/.test(text)) {
    const unit = meaningOf('unit', line.peek(ahead + 1));
    line.noteSlip(unit?.isSlip ?? false);
    return unit && { minutes: Number(text) * minutesOf[unit.word], count: 2 };
  }
  if (!/^(?:\d{1,6}\s*[a-z]+\s*)+$/.test(text) || text.length > 64) return null;
  let minutes = 0;
  for (const [, count, typed = ''] of text.matchAll(/(\d+)\s*([a-z]+)/g)) {
    const unit = meaningOf('unit', { text: typed, quoted: false, mark: null, start: 0, end: 0 });
    if (unit === null || unit.isSlip) return null;
    minutes += Number(count) * minutesOf[unit.word];
  }
  return { minutes, count: 1 };
}

/** Whether a mute may last that long. */
export const isMuteLength = (minutes: number): boolean => minutes >= 1 && minutes <= maxMuteMinutes;
