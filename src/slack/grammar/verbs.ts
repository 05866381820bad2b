import type { HelpGroup, HelpLine, Verb } from '../../core/model/commands.ts';
import type { Request } from '../../core/model/request.ts';
import type { Cursor } from './cursor.ts';
import { kinds, kindUsage } from './kinds.ts';
import { optionGroups, options } from './options.ts';
import { readLink, readMute, readNothingMore, readSubscribe, readUnsubscribe } from './read-verb.ts';

/** A verb with all its forms: both the parser and help are made of these rows. Words are as they stand behind `/plancast`. */
export type VerbRow = {
  readonly word: Verb;
  /** Other words for it, which are not taken but answered with the right one. */
  readonly alike: readonly string[];
  readonly description: string;
  readonly forms: readonly HelpLine[];
  readonly options: readonly HelpGroup[];
  readonly defaults: readonly string[];
  readonly examples: readonly string[];
  /** Reads what follows the verb, to the end of the line; null for help, which is about the other rows. Throws `Misunderstood`. */
  readonly read: ((cursor: Cursor) => Request) | null;
};

export const verbRows: readonly VerbRow[] = [
  {
    word: 'subscribe',
    alike: ['follow', 'watch', 'add', 'sub', 'new'],
    description: 'Subscribe this channel. Run it again to change its options.',
    forms: [
      { usage: 'subscribe', description: 'Opens a form.' },
      ...kinds.map((kind) => ({
        usage: `subscribe ${kindUsage(kind)}`,
        description: kind.description,
      })),
      { usage: 'subscribe https://…', description: 'What the link shows; it must contain a 9-digit id.' },
    ],
    options: optionGroups.map((title) => ({ title, lines: options.filter(({ group }) => group === title) })),
    defaults: options.flatMap(({ byDefault }) => byDefault ?? []),
    examples: [
      'subscribe project 123-456-789',
      'subscribe project 123-456-789 only added,deleted in "Plans/Level 1/**"',
      'subscribe project 123-456-789 digest daily 09:00 weekdays except deleted',
      'subscribe session 123-456-789 not by dana@example.com threads',
    ],
    read: readSubscribe,
  },
  {
    word: 'unsubscribe',
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
    options: [],
    defaults: [],
    examples: ['unsubscribe project 123-456-789', 'unsubscribe all'],
    read: readUnsubscribe,
  },
  {
    word: 'subscriptions',
    alike: ['list', 'ls', 'show', 'subs'],
    description: 'Show this channel’s subscriptions: what, who, filters, health and last activity.',
    forms: [{ usage: 'subscriptions', description: 'Shows the list.' }],
    options: [],
    defaults: [],
    examples: ['subscriptions'],
    read: readNothingMore('subscriptions', { act: 'list' }),
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
    defaults: [],
    examples: ['help', 'help subscribe'],
    read: null,
  },
  {
    word: 'link',
    alike: ['login', 'signin', 'connect', 'auth', 'relink'],
    description: 'Link your account, or see which account is linked.',
    forms: [
      { usage: 'link', description: 'Starts linking, or offers to replace your current link.' },
      { usage: 'link CODE', description: 'Finishes linking with the code shown in the browser.' },
    ],
    options: [],
    defaults: [],
    examples: ['link', 'link ABC234'],
    read: readLink,
  },
  {
    word: 'unlink',
    alike: ['logout', 'signout', 'disconnect'],
    description: 'Unlink your account, after listing what stops.',
    forms: [{ usage: 'unlink', description: 'Lists what stops and asks.' }],
    options: [],
    defaults: [],
    examples: ['unlink'],
    read: readNothingMore('unlink', { act: 'unlink' }),
  },
  {
    word: 'status',
    alike: ['whoami', 'me', 'info', 'account'],
    description: 'Show your linked account.',
    forms: [{ usage: 'status', description: 'Names the linked account.' }],
    options: [],
    defaults: [],
    examples: ['status'],
    read: readNothingMore('status', { act: 'status' }),
  },
  {
    word: 'settings',
    alike: ['config', 'configure', 'preferences', 'options'],
    description: 'Show or change the settings of this workspace.',
    forms: [{ usage: 'settings', description: 'Shows the settings.' }],
    options: [],
    defaults: [],
    examples: ['settings'],
    read: readNothingMore('settings', { act: 'settings' }),
  },
  {
    word: 'mute',
    alike: ['pause', 'snooze', 'silence', 'quiet'],
    description: 'Post nothing here for a while. A summary follows.',
    forms: [{ usage: 'mute 2h', description: 'For that long: minutes (30m), hours (2h) or days (1d).' }],
    options: [],
    defaults: [],
    examples: ['mute 2h', 'mute 1d'],
    read: readMute,
  },
  {
    word: 'unmute',
    alike: ['resume', 'unpause', 'unsnooze'],
    description: 'Post again, with one summary of what was held back.',
    forms: [{ usage: 'unmute', description: 'Ends the mute now.' }],
    options: [],
    defaults: [],
    examples: ['unmute'],
    read: readNothingMore('unmute', { act: 'unmute' }),
  },
  {
    word: 'doctor',
    alike: ['debug', 'check', 'diagnose', 'test'],
    description: 'Check your link, this channel and its subscriptions, with a fix for each problem.',
    forms: [{ usage: 'doctor', description: 'Runs the checks.' }],
    options: [],
    defaults: [],
    examples: ['doctor'],
    read: readNothingMore('doctor', { act: 'doctor' }),
  },
  {
    word: 'why',
    alike: ['trace', 'explain'],
    description: 'Show why recent activity was posted here or not.',
    forms: [{ usage: 'why', description: 'Shows recent activity and what happened to it.' }],
    options: [],
    defaults: [],
    examples: ['why'],
    read: readNothingMore('why', { act: 'why' }),
  },
  {
    word: 'export',
    alike: ['backup', 'dump', 'download'],
    description: 'Show the subscriptions of the channels you can see, as text to keep or import.',
    forms: [{ usage: 'export', description: 'Shows up to 12,000 characters.' }],
    options: [],
    defaults: [],
    examples: ['export'],
    read: readNothingMore('export', { act: 'export' }),
  },
  {
    word: 'import',
    alike: ['restore', 'upload'],
    description: 'Add subscriptions from text. For workspace admins.',
    forms: [{ usage: 'import', description: 'Opens a form that checks the text before anything changes.' }],
    options: [],
    defaults: [],
    examples: ['import'],
    read: readNothingMore('import', { act: 'import' }),
  },
];
