/** What each line does, by what to type. */
export type HelpLines = Readonly<Record<string, string>>;

/** Help on a verb. Everything to type is written as after `/plancast`. */
type VerbHelp = {
  readonly description: string;
  readonly forms: HelpLines;
  /** What can follow, in any order, each at most once, in groups named as in the form. */
  readonly options?: Readonly<Record<string, HelpLines>>;
  /** What resets an option to its default, since omitting an option keeps its current value. */
  readonly defaults?: readonly string[];
  /** Complete commands that work, if the forms are none. */
  readonly examples?: readonly string[];
};

/** Every verb with its help, in that order. Who may do it, and what it does, is in `src/core/acts/acts.ts`. */
const table = {
  subscribe: {
    description: 'Subscribe this channel. Run it again to change its options.',
    forms: {
      subscribe: 'Opens a form.',
      'subscribe project 123-456-789': 'A project and its contents.',
      'subscribe folder 123-456-789 ITEM': 'A folder and its contents.',
      'subscribe file 123-456-789 ITEM': 'One file of a project and its new versions.',
      'subscribe session 123-456-789': 'A session and its documents.',
      'subscribe document 123-456-789 DOCUMENT':
        'One document of a session. The service reports only its deletion.',
      'subscribe https://…':
        'Whatever the link points to, by the 9-digit id in it. Or type the name of a project or session.',
    },
    options: {
      Events: {
        'only added,changed,deleted': 'Only these events.',
        'in "Plans/Level 1" "!Archive"': 'Only changes in these folders. ! excludes one.',
        'by dana@example.com @dana': 'Only changes by these people.',
        'not by dana@example.com @dana': 'Ignore changes by these people.',
      },
      Delivery: {
        'digest daily 09:00': 'One summary a day, in your time zone or (Europe/London). Or digest hourly.',
        'digest weekly friday 16:30': 'One summary a week, on Monday at 9:00 unless you say otherwise.',
        'digest daily 09:00 weekdays': 'No summary on Saturday and Sunday.',
        'digest hourly except deleted': 'Post these events as they happen, the rest in the digest.',
        live: 'Post changes as they happen. The default.',
      },
      'More options': {
        itself:
          'The project, folder or session without its contents. New versions of a file may not be reported.',
        threads: 'Group later changes to an item in its thread.',
        'ping @sam on deleted': 'Mention a person or user group in new messages about these events.',
        'as "Harbour Tower"': 'The name to show until the service sends one.',
      },
    },
    defaults: [
      'only all',
      'in anywhere',
      'by anyone',
      'not by nobody',
      'digest off',
      'threads off',
      'ping off',
    ],
    examples: [
      'subscribe project 123-456-789',
      'subscribe project 123-456-789 only added,deleted in "Plans/Level 1"',
      'subscribe project 123-456-789 digest daily 09:00 weekdays except deleted',
      'subscribe session 123-456-789 not by dana@example.com threads',
    ],
  },
  unsubscribe: {
    description: 'Remove a subscription from this channel.',
    forms: {
      unsubscribe: 'Shows this channel’s list with a Remove button each.',
      'unsubscribe project 123-456-789': 'Removes the subscription to this project.',
      'unsubscribe folder 123-456-789 ITEM': 'Removes the subscription to this folder.',
      'unsubscribe file 123-456-789 ITEM': 'Removes the subscription to this file.',
      'unsubscribe session 123-456-789': 'Removes the subscription to this session.',
      'unsubscribe document 123-456-789 DOCUMENT': 'Removes the subscription to this document.',
      'unsubscribe 123-456-789': 'Removes the subscription to the project or session with this id.',
      'unsubscribe all': 'Removes all subscriptions here, after asking.',
    },
    examples: ['unsubscribe project 123-456-789', 'unsubscribe all'],
  },
  subscriptions: {
    description: 'Show this channel’s subscriptions: what, who, filters, health and last activity.',
    forms: { subscriptions: 'Shows the list.' },
  },
  help: {
    description: 'List all commands.',
    forms: { help: 'Shows all commands.', 'help VERB': 'Shows one of them in full.' },
    examples: ['help', 'help subscribe'],
  },
  link: {
    description: 'Link your account, or see which account is linked.',
    forms: {
      link: 'Starts linking, or offers to replace your current link.',
      'link CODE': 'Finishes linking with the code shown in the browser.',
    },
    examples: ['link', 'link ABC234'],
  },
  unlink: {
    description: 'Unlink your account. Lists what stops, and asks first.',
    forms: { unlink: 'Lists what stops, and asks first.' },
  },
  status: {
    description: 'Show your linked account.',
    forms: { status: 'Names the linked account.' },
  },
  settings: {
    description: 'Show or change the settings of this workspace.',
    forms: { settings: 'Shows the settings.' },
  },
  mute: {
    description: 'Post nothing here for a while, then one summary.',
    forms: { 'mute 2h': 'For minutes (30m), hours (2h) or days (1d).' },
    examples: ['mute 2h', 'mute 1d'],
  },
  unmute: {
    description: 'Post here again, with one summary of what you missed.',
    forms: { unmute: 'Ends the mute now.' },
  },
  quiet: {
    description: 'Post nothing here at certain hours, then one summary.',
    forms: {
      'quiet 18:00-7:00': 'Every day, in your time zone.',
      'quiet 18:00-7:00 weekends': 'And all of Saturday and Sunday.',
      'quiet 18:00-7:00 except deleted': 'Still post these events as they happen.',
      'quiet off': 'Turns quiet hours off.',
    },
    examples: ['quiet 18:00-7:00 weekends', 'quiet off'],
  },
  doctor: {
    description: 'Check your link, this channel and its subscriptions, with a fix for each problem.',
    forms: { doctor: 'Runs the checks.' },
  },
  why: {
    description: 'Show why recent changes were or weren’t posted here.',
    forms: { why: 'Shows recent activity and what happened to it.' },
  },
  recap: {
    description: 'List what changed here, by project and person or for one item. Only you can see it.',
    forms: {
      recap: 'Since yesterday at 0:00.',
      'recap today': 'Also: since monday, 3 days. At most 7 days back.',
      'recap NAME': 'One item’s changes, by its current or an earlier name, or a link.',
    },
    examples: ['recap', 'recap since monday', 'recap A-101.pdf'],
  },
  export: {
    description: 'Show the subscriptions of your channels as lines to keep, edit or import.',
    forms: { export: 'Shows as many as fit in 12,000 characters.' },
  },
  import: {
    description: 'Subscribe channels from lines, such as those of an export.',
    forms: { import: 'Opens a form that checks the lines before anything changes.' },
  },
} as const satisfies Readonly<Record<string, VerbHelp>>;

export type Verb = keyof typeof table;
export const verbs = Object.keys(table) as readonly Verb[];
export const helpTexts: Readonly<Record<Verb, VerbHelp>> = table;

/** The verbs that take no arguments, each a request on its own. */
export const bareVerbs = [
  'unlink',
  'status',
  'settings',
  'unmute',
  'doctor',
  'why',
  'export',
  'import',
] as const satisfies readonly Verb[];

/** The slash commands. The last one reaches every verb, because `/subscribe` may belong to another app in a workspace. */
export const commands = ['subscribe', 'unsubscribe', 'subscriptions', 'plancast'] as const;
export type Command = (typeof commands)[number];

/** How each command is typed in this workspace, with its slash: `/studio-subscribe`, or `/plancast subscribe`. */
export type CommandNames = Readonly<Record<Command, string>>;

export const defaultNames: CommandNames = {
  subscribe: '/subscribe',
  unsubscribe: '/unsubscribe',
  subscriptions: '/subscriptions',
  plancast: '/plancast',
};

/** Formats the words after `/plancast` as the command to type: `subscribe project …` is `/subscribe project …`, `mute 2h` is `/plancast mute 2h`. */
export function commandLine(words: string, names: CommandNames): string {
  const space = words.indexOf(' ');
  const verb = space === -1 ? words : words.slice(0, space);
  if (verb === 'subscribe' || verb === 'unsubscribe' || verb === 'subscriptions') {
    return names[verb] + words.slice(verb.length);
  }
  return `${names.plancast} ${words}`;
}
