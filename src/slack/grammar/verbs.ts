import type { HelpGroup, HelpLine } from '../../core/model/commands.ts';
import { hasContents } from '../../core/model/format-request.ts';
import type { Request } from '../../core/model/request.ts';
import { readLinkCode } from '../../core/model/typed-text.ts';
import { type BareVerb, bareVerbRow, isBareVerb, type Verb, verbs } from '../../core/model/verbs.ts';
import { type Cursor, isOneOf } from './cursor.ts';
import { kinds, kindUsage } from './kinds.ts';
import { Misunderstood } from './misunderstood.ts';
import { optionGroups, optionRows } from './option-rows.ts';
import { readOptions } from './options.ts';
import { beginsTarget, readTarget } from './target.ts';
import { readDuration } from './time.ts';

/** A verb with all its forms. Both the parser and help are built from these rows. Words are written as typed after `/plancast`. */
export type VerbRow = {
  readonly word: Verb;
  /** Synonyms, which are not accepted but answered with the right word. */
  readonly alike: readonly string[];
  readonly description: string;
  readonly forms: readonly HelpLine[];
  readonly options: readonly HelpGroup[];
  readonly defaults: readonly string[];
  readonly examples: readonly string[];
  /** Reads the rest of the line after the verb; null for help, which is about the other rows. Throws `Misunderstood`. */
  readonly read: ((cursor: Cursor) => Request) | null;
};
type TypedRow = Omit<VerbRow, 'word' | 'options' | 'defaults'> & Partial<VerbRow>;

/** Verbs that take arguments, or whose request has a different name. */
const rowsWithArguments: Readonly<Record<Exclude<Verb, BareVerb>, TypedRow>> = {
  subscribe: {
    alike: ['follow', 'watch', 'add', 'sub', 'new'],
    description: 'Subscribe this channel. Run it again to change its options.',
    forms: [
      { usage: 'subscribe', description: 'Opens a form.' },
      ...kinds.map((kind) => ({ usage: `subscribe ${kindUsage(kind)}`, description: kind.description })),
      {
        usage: 'subscribe https://…',
        description: 'Whatever the link points to. The link needs a 9-digit id in it.',
      },
    ],
    options: optionGroups.map((title) => ({
      title,
      lines: optionRows.filter(({ group }) => group === title),
    })),
    defaults: optionRows.flatMap((row) => ('byDefault' in row ? row.byDefault : [])),
    examples: [
      'subscribe project 123-456-789',
      'subscribe project 123-456-789 only added,deleted in "Plans/Level 1"',
      'subscribe project 123-456-789 digest daily 09:00 weekdays except deleted',
      'subscribe session 123-456-789 not by dana@example.com threads',
    ],
    read: readSubscribe,
  },
  unsubscribe: {
    alike: ['unfollow', 'unwatch', 'remove', 'delete', 'unsub', 'stop'],
    description: 'Remove a subscription from this channel.',
    forms: [
      { usage: 'unsubscribe', description: 'Shows this channel’s list with a Remove button each.' },
      ...kinds.map((kind) => ({
        usage: `unsubscribe ${kindUsage(kind)}`,
        description: `Removes the subscription to this ${kind.word}.`,
      })),
      {
        usage: 'unsubscribe 123-456-789',
        description: 'Removes the project or session with this id.',
      },
      { usage: 'unsubscribe all', description: 'Removes all subscriptions here, after asking.' },
    ],
    examples: ['unsubscribe project 123-456-789', 'unsubscribe all'],
    read: readUnsubscribe,
  },
  subscriptions: {
    alike: ['list', 'ls', 'show', 'subs'],
    description: 'Show this channel’s subscriptions: what, who, filters, health and last activity.',
    forms: [{ usage: 'subscriptions', description: 'Shows the list.' }],
    examples: ['subscriptions'],
    read: readList,
  },
  help: {
    alike: ['hi', 'hello', 'hey', 'commands', 'usage'],
    description: 'List all commands.',
    forms: [
      { usage: 'help', description: 'Shows all commands.' },
      { usage: 'help VERB', description: 'Shows one of them in full.' },
    ],
    examples: ['help', 'help subscribe'],
    read: null,
  },
  link: {
    alike: ['login', 'signin', 'connect', 'auth', 'relink', 'code'],
    description: 'Link your account, or see which account is linked.',
    forms: [
      { usage: 'link', description: 'Starts linking, or offers to replace your current link.' },
      { usage: 'link CODE', description: 'Finishes linking with the code shown in the browser.' },
    ],
    examples: ['link', 'link ABC234'],
    read: readLink,
  },
  mute: {
    alike: ['pause', 'snooze', 'silence'],
    description: 'Post nothing here for a while, then one summary.',
    forms: [{ usage: 'mute 2h', description: 'For that long: minutes (30m), hours (2h) or days (1d).' }],
    examples: ['mute 2h', 'mute 1d'],
    read: readMute,
  },
};

/** Every verb in the order of help. */
export const verbRows: readonly VerbRow[] = verbs.map((word) => ({
  word,
  options: [],
  defaults: [],
  ...(isBareVerb(word) ? rowOf(word) : rowsWithArguments[word]),
}));

function rowOf(word: BareVerb): TypedRow {
  const { alike, description, usage } = bareVerbRow(word);
  return {
    alike,
    description,
    forms: [{ usage: word, description: usage }],
    examples: [word],
    read: readNothingMore({ act: word }),
  };
}

/** Reads what to subscribe to and its options; opens the form if nothing follows. */
function readSubscribe(cursor: Cursor): Request {
  if (!cursor.peek()) return { act: 'open-form' };
  const target = readTarget(cursor, 'subscribe');
  const { itself, ...said } = readOptions(cursor, target.kind);
  return { act: 'subscribe', target, comprehensive: !itself && hasContents(target), ...said };
}

/** Reads what to unsubscribe from; shows the list if nothing follows. */
function readUnsubscribe(cursor: Cursor): Request {
  const first = cursor.peek();
  if (!first) return { act: 'unsubscribe-list' };
  const example = 'unsubscribe all';
  if (cursor.accept('all')) {
    // In `all project 123-456-789`, it is not all that is meant.
    const meant = cursor.ahead(beginsTarget).length === cursor.ahead(() => false).length ? '' : undefined;
    cursor.expectEnd({ example, meant });
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
function readList(cursor: Cursor): Request {
  const own = ['me', 'my', 'mine', 'own'];
  const [first, next] = [cursor.peek(), cursor.peek(1)];
  const isOwn = isOneOf(first, own) || (isOneOf(first, ['for', 'of', 'by']) && isOneOf(next, own));
  cursor.expectEnd({ meant: isOwn ? 'to me' : '' });
  return { act: 'list' };
}

/** Reads a link code in upper or lower case, and with spaces or hyphens, as people copy it. */
function readLink(cursor: Cursor): Request {
  if (!cursor.peek()) return { act: 'link' };
  const expected = 'nothing, or the 6 characters shown at the end of linking';
  const word = cursor.takeRest(expected);
  const code = readLinkCode(word.text);
  if (code === null) throw new Misunderstood(word, expected);
  return { act: 'link', code };
}

function readMute(cursor: Cursor): Request {
  return { act: 'mute', minutes: readDuration(cursor) };
}

function readNothingMore(request: Request): (cursor: Cursor) => Request {
  return (cursor) => {
    cursor.expectEnd();
    return request;
  };
}
