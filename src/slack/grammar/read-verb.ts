import { hasContents } from '../../core/model/format-request.ts';
import type { Request } from '../../core/model/request.ts';
import { readLinkCode } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { readOptions } from './options.ts';
import { readTarget } from './target.ts';
import { readDuration } from './time.ts';

/** Reads what to subscribe to and its options; opens the form if nothing follows. */
export function readSubscribe(cursor: Cursor): Request {
  if (!cursor.peek()) return { act: 'open-form' };
  const target = readTarget(cursor, 'subscribe');
  const { itself, ...said } = readOptions(cursor, target.kind);
  return { act: 'subscribe', target, comprehensive: !itself && hasContents(target), ...said };
}

/** Reads what to unsubscribe from; shows the list if nothing follows. */
export function readUnsubscribe(cursor: Cursor): Request {
  const first = cursor.peek();
  if (!first) return { act: 'unsubscribe-list' };
  const example = 'unsubscribe all';
  if (cursor.accept('all')) {
    cursor.expectEnd({ example });
    return { act: 'unsubscribe-all' };
  }
  if (['everything', '*', 'everyone'].includes(first.folded)) {
    throw new Misunderstood(first, 'all, or what to unsubscribe from', { example, meant: 'all' });
  }
  const target = readTarget(cursor, 'unsubscribe');
  // A channel has one subscription per resource, with or without `itself`, so the word makes no difference here.
  if (hasContents(target)) cursor.accept('itself');
  cursor.expectEnd();
  return { act: 'unsubscribe', target };
}

/** Reads the end of the line, and takes `mine` for `to me`. */
export function readList(cursor: Cursor): Request {
  const own = ['me', 'my', 'mine', 'own'];
  const [first, next] = [cursor.peek(), cursor.peek(1)];
  const isOwn = isOneOf(first, own) || (isOneOf(first, ['for', 'of', 'by']) && isOneOf(next, own));
  cursor.expectEnd({ meant: isOwn ? 'to me' : '' });
  return { act: 'list' };
}

/** Reads a link code in upper or lower case, and with spaces or hyphens, as people copy it. */
export function readLink(cursor: Cursor): Request {
  if (!cursor.peek()) return { act: 'link' };
  const expected = 'nothing, or the 6 characters shown at the end of linking';
  const word = cursor.takeRest(expected);
  const code = readLinkCode(word.text);
  if (code === null) throw new Misunderstood(word, expected);
  return { act: 'link', code };
}

/** Reads how long to mute. */
export function readMute(cursor: Cursor): Request {
  return { act: 'mute', minutes: readDuration(cursor) };
}

/** Returns the reader of a verb that takes no arguments. */
export function readNothingMore(request: Request): (cursor: Cursor) => Request {
  return (cursor) => {
    cursor.expectEnd();
    return request;
  };
}
