import type { Line } from './line.ts';
import { isOneOf } from './vocabulary.ts';

/** Takes `to me`, if it is next: the line is for the person's own direct message. */
export function takeToMe(line: Line): boolean {
  const isToMe = isOneOf(line.peek(), ['to', 'for']) && isOneOf(line.peek(1), ['me', 'myself']);
  if (isToMe) line.take(2);
  return isToMe;
}

/** Takes `mine`, which says the same. */
export function takeMine(line: Line): boolean {
  const isMine = isOneOf(line.peek(), ['mine']);
  if (isMine) line.take();
  return isMine;
}
