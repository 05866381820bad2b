import {
  eventTypes,
  eventWords,
  type Mentioned,
  type Ping,
  pingedByDefault,
} from '../../core/model/subscription.ts';
import { isGroupHandle, isGroupId } from '../../core/model/typed-text.ts';
import type { Line, ValueFault } from './line.ts';
import { personOf, readTypes, typesExpected } from './lists.ts';
import { isOneOf, meaningOf } from './vocabulary.ts';
import type { Part } from './words.ts';

/** Reads what follows `ping`: a person or a group, and for which events; null for `off`, undefined if that is missing or wrong. */
export function readPing(line: Line, faults: ValueFault[]): Ping | null | undefined {
  const word = line.peek();
  if (!word?.text.startsWith('@') && meaningOf('anyone', word)?.word === 'off') {
    line.take();
    return null;
  }
  const mentioned = word && mentionedIn(word, line.with.me ?? null);
  if (!mentioned) {
    faults.push({ option: 'ping', value: word?.text ?? null, expected: expectedFor(word) });
    return undefined;
  }
  line.take();
  if (!isOneOf(line.peek(), ['on'])) return { ...mentioned, on: pingedByDefault };
  line.take();
  const value = line.peek()?.text ?? null;
  const types = takeAll(line) ? eventTypes : readTypes(line);
  if (types !== null) return { ...mentioned, on: eventTypes.filter((type) => types.includes(type)) };
  const instead = eventTypes.map((type) => ({
    words: `ping ${word.text} on ${eventWords[type]}`,
    said: { ping: { ...mentioned, on: [type] } },
  }));
  faults.push({ option: 'on', value, expected: typesExpected, instead });
  return undefined;
}

function takeAll(line: Line): boolean {
  const isAll = meaningOf('all', line.peek())?.word === 'all';
  if (isAll) line.take();
  return isAll;
}

/** Returns whom a mention names; null if the word is none. Slack marks up what it recognizes; copied text is tried as it is. */
function mentionedIn(part: Part, me: string | null): (Mentioned & Pick<Ping, 'name'>) | null {
  const { text, mark } = part;
  const [, copied, label] = /^<!subteam\^(\w+)(?:\|@?([^>]*))?>$/.exec(text) ?? [];
  const id = mark?.kind === 'group' ? mark.id : copied;
  if (id !== undefined) {
    const name = mark?.kind === 'group' ? text.replace(/^@/, '') : label;
    if (!isGroupId(id)) return null;
    return {
      kind: 'group',
      id,
      ...(name !== undefined && name !== id && isGroupHandle(name) ? { name } : {}),
    };
  }
  const person = personOf(part, me);
  return person && 'userId' in person ? { kind: 'user', id: person.userId } : null;
}

function expectedFor(word: Part | null): string {
  const isBroadcast = /^(?:<!|@)?(?:channel|here|everyone|all)\b/i.test(word?.text ?? '');
  if (isBroadcast) return 'one person or user group. I never mention a whole channel';
  return 'a person or user group picked from the list that Slack opens when you type @';
}
