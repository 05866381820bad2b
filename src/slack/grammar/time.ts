import { maxMuteMinutes } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { fold } from './words.ts';

const timeForm = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm)?$/;
const minutesOf: Readonly<Record<string, number>> = {
  m: 1,
  min: 1,
  mins: 1,
  minute: 1,
  minutes: 1,
  h: 60,
  hr: 60,
  hrs: 60,
  hour: 60,
  hours: 60,
  d: 24 * 60,
  day: 24 * 60,
  days: 24 * 60,
  w: 7 * 24 * 60,
  week: 7 * 24 * 60,
  weeks: 7 * 24 * 60,
};

/** Reads a time of day, `9:00`, `09:00` or `9 am`, as `HH:MM`. Throws `Misunderstood`. */
export function readTime(cursor: Cursor, example: string): string {
  const wanted = { expected: 'a time like 9:00 or 17:30', example };
  cursor.accept('at');
  const word = cursor.take(wanted);
  const half = cursor.accept('am', 'pm');
  const time = toTime(word.folded + (half ? half.folded : ''));
  if (!time) {
    throw new Misunderstood({ ...wanted, word });
  }
  return time;
}

function toTime(text: string): string | null {
  const [, hour, minute, half] = timeForm.exec(text) ?? [];
  if (hour === undefined || (minute === undefined && half === undefined)) {
    return null;
  }
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  const wrong = half !== undefined && (Number(hour) < 1 || Number(hour) > 12);
  if (wrong || hours > 23 || Number(minute ?? 0) > 59) {
    return null;
  }
  return `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
}

/** Reads a length of time to the end of the line, `2h`, `90 minutes` or `1h30m`, in minutes. Throws `Misunderstood`. */
export function readDuration(cursor: Cursor, example: string): number {
  const wanted = { expected: 'how long, like 30m, 2h or 1d', example };
  cursor.accept('for');
  const first = cursor.take(wanted);
  let text = first.text;
  let end = first.end;
  for (let word = cursor.peek(); word && text.length <= 64; word = cursor.peek()) {
    cursor.skip();
    text += ` ${word.text}`;
    end = word.end;
  }
  const minutes = toMinutes(fold(text));
  if (minutes === null) {
    throw new Misunderstood({ ...wanted, word: { ...first, text, end } });
  }
  if (minutes < 1 || minutes > maxMuteMinutes) {
    const expected = `a length of time from one minute to ${maxMuteMinutes / (24 * 60)} days`;
    throw new Misunderstood({ word: { ...first, text, end }, expected, example });
  }
  return minutes;
}

function toMinutes(text: string): number | null {
  const pieces = text.match(/\d+|[a-z]+/g) ?? [];
  if (pieces.length === 0 || pieces.length % 2 === 1 || /[^\da-z\s]/.test(text)) {
    return null;
  }
  let minutes = 0;
  for (let at = 0; at < pieces.length; at += 2) {
    const count = pieces[at] ?? '';
    const unit = pieces[at + 1] ?? '';
    if (!/^\d{1,6}$/.test(count) || !Object.hasOwn(minutesOf, unit)) {
      return null;
    }
    minutes += Number(count) * (minutesOf[unit] ?? 0);
  }
  return minutes;
}
