import type { PersonName } from '../../core/model/subscription.ts';
import { isEmail, isUserId } from '../../core/model/typed-text.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { across, Misunderstood } from './misunderstood.ts';
import { readList } from './read-list.ts';
import type { Part } from './words.ts';

/** One of the two lists of people, `by` and `not by`. */
type PeopleList = {
  /** The word that empties it, and what people type instead. */
  readonly none: string;
  readonly alike: readonly string[];
  /** The people of the opposite list. */
  readonly against: readonly PersonName[] | undefined;
};

const expected = 'a person’s email address or @mention, or me';
const joiners = ['and', 'or', '&'];

/** Reads people up to the next option and adds them to the ones read before. Throws `Misunderstood`. */
export function readPeople(
  cursor: Cursor,
  before: readonly PersonName[] | undefined,
  list: PeopleList,
): readonly PersonName[] {
  return readList(cursor, before, {
    what: 'people',
    none: list.none,
    joiners,
    expected,
    fits: ({ parts }) => parts.some((part) => personOf(part, cursor.me) !== null || part.text.includes(';')),
    read: (part) => readPerson(part, cursor, list),
    keyOf: personKey,
  });
}

function readPerson(part: Part, cursor: Cursor, list: PeopleList): PersonName {
  const person = personOf(part, cursor.me);
  if (!person) throw new Misunderstood(part, expected, correctionOf(part, cursor, list));
  if (list.against?.some((other) => personKey(other) === personKey(person))) {
    throw new Misunderstood(part, 'each person in “by” or “not by”, not both');
  }
  return person;
}

/** Returns what was probably meant. */
function correctionOf(part: Part, cursor: Cursor, { none, alike }: PeopleList) {
  const { text } = part;
  if (isOneOf(cursor.last(), alike)) return { meant: none };
  if (/^(?:myself|mine|@me)$/i.test(text)) return { meant: 'me' };
  const separated = text.split(';').map((email) => email.trim());
  if (separated.length > 1 && separated.every((email) => email === '' || isEmail(email))) {
    return { meant: separated.filter((email) => email !== '').join(', ') };
  }
  const spelled = text.replace(/[([{]at[)\]}]/i, '@');
  if (spelled !== text && isEmail(spelled)) return { meant: spelled };
  const rest = cursor.peek();
  if (rest && /^@/.test(rest.text) && isEmail(text + rest.text)) {
    return { meant: text + rest.text, at: across(part, rest) };
  }
  return {};
}

/** Returns the person that a word names; null if it names nobody. Slack marks up what it recognizes; copied text is tried as it is. */
export function personOf({ text, mark, quoted }: Part, me: string | null): PersonName | null {
  if (!quoted && me !== null && text.toLowerCase() === 'me') return { userId: me };
  if (mark?.kind === 'person') return isUserId(mark.id) ? { userId: mark.id } : null;
  const mention = /^<@([A-Z0-9]{2,31})(?:\|[^>]{0,200})?>$/.exec(text)?.[1];
  if (mention !== undefined) return isUserId(mention) ? { userId: mention } : null;
  const address = mark?.kind === 'link' ? /^mailto:([^?]*)/i.exec(mark.url)?.[1] : undefined;
  const email = (address ?? text).replace(/^<?(?:mailto:)?|>$/gi, '').trim();
  return isEmail(email) ? { email } : null;
}

function personKey(person: PersonName): string {
  return 'userId' in person ? person.userId : person.email.toLowerCase();
}
