import type { HelpLine, Verb } from '../../core/model/commands.ts';
import { verbs } from '../../core/model/commands.ts';
import type { Followed, Request } from '../../core/model/request.ts';
import { isLinkCode } from '../../core/model/typed-text.ts';
import type { Cursor } from './cursor.ts';
import { isOneOf } from './cursor.ts';
import { Misunderstood } from './misunderstood.ts';
import { nearest } from './nearest.ts';
import { options, optionWords, readOptions } from './options.ts';
import { beginsTarget, kinds, kindUsage, readTarget } from './target.ts';
import { readDuration } from './time.ts';

/** A verb with all its forms: both the parser and help are made of these rows. Words are as they stand behind `/plancast`. */
type VerbRow = {
  readonly word: Verb;
  /** Other words for it, which are not taken but answered with the right one. */
  readonly alike: readonly string[];
  readonly description: string;
  readonly forms: readonly HelpLine[];
  readonly options: readonly HelpLine[];
  readonly examples: readonly string[];
  /** Reads what follows the verb, to the end of the line. Throws `Misunderstood`. */
  read(cursor: Cursor): Request;
};

const expectedVerb = `one of ${verbs.join(', ')}`;
const helpWords = ['help', '?', '-h', '-help', '--help', '—help', '–help'];

export const verbRows: readonly VerbRow[] = [
  {
    word: 'subscribe',
    alike: ['follow', 'watch', 'add', 'sub', 'new'],
    description:
      'Follow something in this channel; once more for the same changes what you say and leaves the rest.',
    forms: [
      { usage: 'subscribe', description: 'Opens a form.' },
      ...kinds.map((kind) => ({
        usage: `subscribe ${kindUsage(kind)}${kind.item === null ? ' [itself]' : ''}`,
        description: kind.description,
      })),
      { usage: 'subscribe 123-456-789', description: 'Asks whether it is a project or a session.' },
      { usage: 'subscribe https://…', description: 'Any link with a 9-digit id in it works like the id.' },
    ],
    options: options.flatMap(({ usage, description }) => usage.map((line) => ({ usage: line, description }))),
    examples: [
      'subscribe project 123-456-789',
      'subscribe project 123-456-789 only create,delete in "Plans/Level 1/**" digest daily 09:00',
      'subscribe session 123-456-789 itself not by dana@example.com threads on',
    ],
    read: readSubscribe,
  },
  {
    word: 'unsubscribe',
    alike: ['unfollow', 'unwatch', 'remove', 'delete', 'unsub', 'stop'],
    description: 'Stop following something in this channel.',
    forms: [
      { usage: 'unsubscribe', description: "Shows this channel's list with a Remove button each." },
      ...kinds.map((kind) => ({
        usage: `unsubscribe ${kindUsage(kind)}`,
        description: `Stops following this ${kind.word}.`,
      })),
      {
        usage: 'unsubscribe 123-456-789',
        description: 'Stops following the project or session with this id.',
      },
      { usage: 'unsubscribe all', description: 'Stops following everything here; asks first.' },
    ],
    options: [],
    examples: ['unsubscribe project 123-456-789', 'unsubscribe all'],
    read: readUnsubscribe,
  },
  {
    word: 'subscriptions',
    alike: ['list', 'ls', 'show', 'subs'],
    description: "Show this channel's subscriptions: what, who, filters, health and last event.",
    forms: [{ usage: 'subscriptions', description: 'Shows the list.' }],
    options: [],
    examples: ['subscriptions'],
    read: alone('subscriptions', { act: 'list' }),
  },
  {
    word: 'help',
    alike: [],
    description: 'Show what can be typed.',
    forms: [
      { usage: 'help', description: 'Shows all commands.' },
      { usage: 'help VERB', description: 'Shows one of them in full.' },
    ],
    options: [],
    examples: ['help', 'help subscribe'],
    read: readHelp,
  },
  {
    word: 'link',
    alike: ['login', 'signin', 'connect', 'auth', 'relink'],
    description: 'Link your account, or say to which account you are linked.',
    forms: [
      { usage: 'link', description: 'Begins, or offers to replace the link that is there.' },
      { usage: 'link CODE', description: 'Ends it with the 6 characters shown in the browser.' },
    ],
    options: [],
    examples: ['link', 'link ABC234'],
    read: readLink,
  },
  {
    word: 'unlink',
    alike: ['logout', 'signout', 'disconnect'],
    description: 'Take the link to your account apart; lists what stops and asks first.',
    forms: [{ usage: 'unlink', description: 'Lists what stops and asks.' }],
    options: [],
    examples: ['unlink'],
    read: alone('unlink', { act: 'unlink' }),
  },
  {
    word: 'status',
    alike: ['whoami', 'me', 'info', 'account'],
    description: 'Show your linked account.',
    forms: [{ usage: 'status', description: 'Names the linked account.' }],
    options: [],
    examples: ['status'],
    read: alone('status', { act: 'status' }),
  },
  {
    word: 'settings',
    alike: ['config', 'configure', 'preferences', 'options'],
    description: 'Show and change the settings of this channel.',
    forms: [{ usage: 'settings', description: 'Shows the settings.' }],
    options: [],
    examples: ['settings'],
    read: alone('settings', { act: 'settings' }),
  },
  {
    word: 'mute',
    alike: ['pause', 'snooze', 'silence', 'quiet'],
    description: 'Post nothing here for a while; one summary follows.',
    forms: [{ usage: 'mute 2h', description: 'For that long: minutes (30m), hours (2h) or days (1d).' }],
    options: [],
    examples: ['mute 2h', 'mute 1d'],
    read: readMute,
  },
  {
    word: 'unmute',
    alike: ['resume', 'unpause', 'unsnooze'],
    description: 'Post again, with one summary of what was held back.',
    forms: [{ usage: 'unmute', description: 'Ends the quiet at once.' }],
    options: [],
    examples: ['unmute'],
    read: alone('unmute', { act: 'unmute' }),
  },
  {
    word: 'doctor',
    alike: ['debug', 'check', 'diagnose', 'test'],
    description: 'Check your link, this channel and its subscriptions, with a remedy for each fault.',
    forms: [{ usage: 'doctor', description: 'Runs the checks.' }],
    options: [],
    examples: ['doctor'],
    read: alone('doctor', { act: 'doctor' }),
  },
  {
    word: 'why',
    alike: ['trace', 'explain'],
    description: 'Say why the last events of this channel were posted or not.',
    forms: [{ usage: 'why', description: 'Shows the last events and what became of each.' }],
    options: [],
    examples: ['why'],
    read: alone('why', { act: 'why' }),
  },
];

/** Reads a line behind the branded command. Throws `Misunderstood`. */
export function readAnyVerb(cursor: Cursor): Request {
  const first = cursor.peek();
  if (!first || cursor.accept(...helpWords)) {
    return readHelp(cursor);
  }
  const row = verbRows.find(({ word }) => isOneOf(first, [word]));
  if (!row) {
    const verbless = beginsTarget(first);
    const meant = verbless ? 'subscribe' : nearest(first.text, verbRows);
    // Without a verb nothing is to be replaced: it is put in front.
    const word = verbless ? { ...first, end: first.start } : first;
    const example = verbRows.find((known) => known.word === meant)?.examples[0] ?? 'help';
    throw new Misunderstood({ word, expected: expectedVerb, example, meant });
  }
  cursor.skip();
  return readRow(cursor, row);
}

/** Reads what follows this verb. Throws `Misunderstood`. */
export function readVerb(cursor: Cursor, verb: Verb): Request {
  const row = verbRows.find(({ word }) => word === verb);
  return row ? readRow(cursor, row) : readAnyVerb(cursor);
}

/** Every verb can be asked for help on itself. */
function readRow(cursor: Cursor, row: VerbRow): Request {
  if (row.word !== 'help' && !cursor.peek(1) && cursor.accept(...helpWords)) {
    return { act: 'help', topic: row.word };
  }
  return row.read(cursor);
}

function readSubscribe(cursor: Cursor): Request {
  if (!cursor.peek()) {
    return { act: 'open-form' };
  }
  const target = readTarget(cursor, 'subscribe', optionWords);
  const { itself, ...said } = readOptions(cursor, target.kind);
  return { act: 'subscribe', target, comprehensive: !itself && hasContents(target), ...said };
}

function hasContents({ kind }: Followed): boolean {
  return kind === 'project' || kind === 'session' || kind === 'unknown';
}

function readUnsubscribe(cursor: Cursor): Request {
  const end = { expected: 'nothing more', example: 'unsubscribe project 123-456-789' };
  if (!cursor.peek()) {
    return { act: 'unsubscribe-list' };
  }
  if (cursor.accept('all')) {
    cursor.expectEnd({ ...end, example: 'unsubscribe all' });
    return { act: 'unsubscribe-all' };
  }
  const target = readTarget(cursor, 'unsubscribe', optionWords);
  // A channel follows a resource once, with or without `itself`: saying it changes nothing.
  if (hasContents(target)) {
    cursor.accept('itself');
  }
  cursor.expectEnd(end);
  return { act: 'unsubscribe', target };
}

function readHelp(cursor: Cursor): Request {
  const word = cursor.peek();
  if (!word) {
    return { act: 'help' };
  }
  const topic = verbRows.find((row) => cursor.accept(row.word))?.word;
  if (!topic) {
    throw new Misunderstood({
      word,
      expected: expectedVerb,
      example: 'help subscribe',
      meant: nearest(word.text, verbRows),
    });
  }
  cursor.expectEnd({ expected: 'nothing more', example: `help ${topic}` });
  return { act: 'help', topic };
}

/** The code is read as people copy it: in either case, and in groups. */
function readLink(cursor: Cursor): Request {
  const first = cursor.peek();
  if (!first) {
    return { act: 'link' };
  }
  let text = '';
  let end = first.end;
  for (let word = cursor.peek(); word && text.length <= 64; word = cursor.peek()) {
    cursor.skip();
    text += text === '' ? word.text : ` ${word.text}`;
    end = word.end;
  }
  const code = text
    .slice(0, 64)
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\s‐‑‒–—―-]/g, '');
  if (!isLinkCode(code)) {
    const expected = 'nothing, or the 6 characters shown at the end of linking';
    throw new Misunderstood({ word: { ...first, text, end }, expected, example: 'link' });
  }
  return { act: 'link', code };
}

function readMute(cursor: Cursor): Request {
  const minutes = readDuration(cursor, 'mute 2h');
  cursor.expectEnd({ expected: 'nothing more', example: 'mute 2h' });
  return { act: 'mute', minutes };
}

function alone(word: Verb, request: Request): (cursor: Cursor) => Request {
  return (cursor) => {
    cursor.expectEnd({ expected: 'nothing more', example: word });
    return request;
  };
}
